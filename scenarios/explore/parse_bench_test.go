package explore

import "testing"

// BenchmarkScenario is how long it takes to make a scenario of a history.
func BenchmarkScenario(b *testing.B) {
	for n := 0; b.Loop(); n++ {
		if _, err := everything().history(1, 100+n%50).scenario(); err != nil {
			b.Fatal(err)
		}
	}
}
