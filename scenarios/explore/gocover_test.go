package explore

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// counted is a program that tells how many blocks of it have run, before and after it runs more.
const counted = `package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime/coverage"
)

func more(n int) int {
	if n > 3 {
		return 1
	}
	return 2
}

func write(name string) {
	var raw bytes.Buffer
	fmt.Println(coverage.WriteCounters(&raw))
	if err := os.WriteFile(name, raw.Bytes(), 0o600); err != nil {
		panic(err)
	}
}

func main() {
	write("before")
	more(4)
	write("after")
	more(1)
	more(1)
	write("last")
}
`

// TestCodeReached: what Go writes of a program that was built with -cover is understood.
func TestCodeReached(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": counted, "go.mod": "module counted\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-cover", "-covermode=atomic", "-o", "counted", ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.CommandContext(t.Context(), "./counted")
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil || strings.Count(string(out), "<nil>") != 3 {
		t.Fatalf("%v\n%s", err, out)
	}
	var blocks []int
	for _, name := range []string{"before", "after", "last"} {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, blocksIn(raw))
	}
	if blocks[0] == 0 || blocks[1] <= blocks[0] || blocks[2] <= blocks[1] {
		t.Errorf("%d blocks have run", blocks)
	}
}

// TestOtherCounters: what is no counter data has no blocks.
func TestOtherCounters(t *testing.T) {
	t.Parallel()
	header := counterMark + strings.Repeat("\x00", flavourAt-len(counterMark)) + "\x02" + strings.Repeat("\x00", counterHeader-flavourAt-1)
	for name, raw := range map[string]string{
		"nothing":        "",
		"another mark":   strings.Repeat("x", 100),
		"texts too long": header + strings.Repeat("\xff", counterSegment),
		"cut off":        header + "\x09\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("\x00", 8) + "\x05\x01\x01",
	} {
		if n := blocksIn([]byte(raw)); n != 0 {
			t.Errorf("%s: %d", name, n)
		}
	}
	if CodeReached() != 0 {
		t.Error("this test is not built by go build -cover")
	}
}
