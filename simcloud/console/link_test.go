package console_test

import (
	"net/url"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud/console"
)

// TestLink: the token is in the fragment alone, whatever it has, and nowhere without one.
func TestLink(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{"http://127.0.0.1:80", "http://127.0.0.1:80/"} {
		if got := console.Link(endpoint, ""); got != "http://127.0.0.1:80/" {
			t.Errorf("without a token it is %q", got)
		}
		link, err := url.Parse(console.Link(endpoint, "a+b&c/d#e"))
		if err != nil || link.Path != "/" || link.RawQuery != "" {
			t.Fatalf("%s, %v", link, err)
		}
		fragment, err := url.ParseQuery(link.EscapedFragment())
		if err != nil || fragment.Get("token") != "a+b&c/d#e" {
			t.Errorf("the fragment is %q, %v", link.EscapedFragment(), err)
		}
	}
}
