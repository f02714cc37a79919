package store

import (
	"strconv"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// FuzzSequence: each number has one id, and each id that is accepted is the one of its number.
func FuzzSequence(f *testing.F) {
	for _, seed := range []string{"i-1", "i-01", "i-0", "i-+1", "i-", "", "i-18446744073709551615", "i-18446744073709551616", "lb-1", "i-1_0", "i-٣"} {
		f.Add(seed, uint64(7))
	}
	f.Fuzz(func(t *testing.T, id string, n uint64) {
		if got, ok := numberOf("i-", Instances.idOf(n)); n > 0 && (!ok || got != n) {
			t.Errorf("%d came back as %d, %t", n, got, ok)
		}
		got, ok := numberOf("i-", simcloud.ID(id))
		if ok && (got == 0 || id != "i-"+strconv.FormatUint(got, 10)) {
			t.Errorf("%q was taken for %d", id, got)
		}
	})
}

// FuzzPart: the parts of a key come back out of it.
func FuzzPart(f *testing.F) {
	f.Add("pool", "10.0.0.1", "rest")
	f.Add("", "", "")
	f.Add("\x00\x01", "\xff", "\x00")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if len(a)+len(b)+len(c) > 60000 {
			t.Skip("longer than a key may be")
		}
		key := Key(a, b, c)
		if one, two, three := PartAfter(key), PartAfter(key, a), PartAfter(key, a, b); one != a || two != b || three != c {
			t.Errorf("%q, %q, %q came back as %q, %q, %q", a, b, c, one, two, three)
		}
		if got := PartAfter(key, a, b, c); got != "" {
			t.Errorf("after the last part there is %q", got)
		}
	})
}
