package cli

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// BenchmarkServeReady is the time from the start of the process to its ready line. The budget is 100 ms.
func BenchmarkServeReady(b *testing.B) {
	for name, args := range map[string]func(dir string) []string{
		"ephemeral": func(string) []string { return []string{"--ephemeral"} },
		"new file":  func(dir string) []string { return []string{"--data", filepath.Join(dir, "cloud.db")} },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s, err := startServe(b.TempDir(), os.Environ(), args(b.TempDir()))
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := s.end(syscall.SIGTERM); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N), "ms/ready")
		})
	}
}
