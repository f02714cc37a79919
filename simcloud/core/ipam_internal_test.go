package core

import (
	"math/rand/v2"
	"net/netip"
	"testing"
)

// TestLastOf holds it against a walk over the range.
func TestLastOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"10.0.0.0/8": "10.255.255.255", "10.0.0.0/30": "10.0.0.3", "10.0.0.7/32": "10.0.0.7", "0.0.0.0/0": "255.255.255.255",
		"fd00::/64": "fd00::ffff:ffff:ffff:ffff", "fd00::/127": "fd00::1", "fd00::/3": "", "2001:2::/48": "2001:2:0:ffff:ffff:ffff:ffff:ffff",
	} {
		prefix := netip.MustParsePrefix(text).Masked()
		last := lastOf(prefix)
		if want != "" && last.String() != want || !prefix.Contains(last) || prefix.Contains(last.Next()) {
			t.Errorf("the last of %s is %s", prefix, last)
		}
	}
}

// TestSkip: what a pool skips are the places of its exceptions, all of them and no others.
func TestSkip(t *testing.T) {
	t.Parallel()
	dice := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var except []netip.Prefix
		for range dice.IntN(4) {
			addr := netip.AddrFrom4([4]byte{10, 0, byte(dice.IntN(4)), byte(dice.IntN(256))})
			except = append(except, netip.PrefixFrom(addr, 22+dice.IntN(11)).Masked())
		}
		p := newPool("p", netip.MustParsePrefix("10.0.0.0/22"), except...)
		excepted := func(place uint64) bool {
			for _, part := range except {
				if part.Contains(p.at(place)) {
					return true
				}
			}
			return false
		}
		for place := uint64(0); place < p.size(); place++ {
			n := p.skip(place)
			if (n > 0) != excepted(place) {
				t.Fatalf("%v: place %d skips %d", except, place, n)
			}
			for i := range n {
				if !excepted(place + i) {
					t.Fatalf("%v: place %d skips %d, but %d is not excepted", except, place, n, place+i)
				}
			}
		}
	}
}
