package machine

import (
	"fmt"
	"net/netip"
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

func TestPodAddressesAreTheirOwn(t *testing.T) {
	t.Parallel()
	a := podAddresses{used: map[types.UID]netip.Addr{}}
	seen := map[string]bool{}
	for i := range 6 {
		ip := a.get(types.UID(fmt.Sprint(i)), "10.244.0.0/29")
		if ip == "" || seen[ip] {
			t.Fatalf("pod %d got %q, after %v", i, ip, seen)
		}
		seen[ip] = true
	}
	if ip := a.get("one-more", "10.244.0.0/29"); ip != "" {
		t.Errorf("a full node gave %s", ip)
	}
	again := a.get("3", "10.244.0.0/29")
	delete(a.used, "3")
	if ip := a.get("new", "10.244.0.0/29"); ip != again {
		t.Errorf("got %s, want the freed %s", ip, again)
	}
	if ip := a.get("x", ""); ip != "" {
		t.Errorf("a node without a CIDR gave %s", ip)
	}
}
