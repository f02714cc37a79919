package hcloud_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud/schema"
)

// TestServerPublicNet: a server has both public addresses, unless the request turns one off. That of IPv6 is a network.
func TestServerPublicNet(t *testing.T) {
	t.Parallel()
	w := open(t)
	for name, test := range map[string]struct {
		public    string
		four, six bool
	}{
		"both-by-default": {``, true, true},
		"one-is-named":    {`,"public_net":{"enable_ipv6":true}`, true, true},
		"ipv6-only":       {`,"public_net":{"enable_ipv4":false,"enable_ipv6":true}`, false, true},
		"ipv4-only":       {`,"public_net":{"enable_ipv4":true,"enable_ipv6":false}`, true, false},
		"none":            {`,"public_net":{"enable_ipv4":false,"enable_ipv6":false}`, false, false},
	} {
		answer := w.send(http.MethodPost, "servers", `{"name":"`+name+`","server_type":"small","image":"debian-12"`+test.public+`}`)
		var made struct{ Server schema.Server }
		if err := json.Unmarshal([]byte(answer.body), &made); err != nil || answer.status != http.StatusCreated {
			t.Fatalf("%s: %d %s (%v)", name, answer.status, answer.body, err)
		}
		net := made.Server.PublicNet
		if (net.IPv4.IP != "") != test.four || (net.IPv6.IP != "") != test.six || test.six && !strings.HasSuffix(net.IPv6.IP, "::/64") {
			t.Errorf("%s: it has %+v", name, net)
		}
	}
}
