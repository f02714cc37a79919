package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// throttleReason is in the lines that client-go logs, every 10 s by default, about calls that wait a second or longer
// for the client's own limit.
const throttleReason = "client-side throttling"

// throttleLines are how many lines at the end of a log can still be about now.
const throttleLines = 100

// throttleDelay is how long a call waited, in the words of all versions of client-go.
var throttleDelay = regexp.MustCompile(`(?:delay="|Waited for )([0-9][^" ]*)`)

// throttled tells that a CCM is slowed down by its own client, by the end of its log; empty when it is not. Many nodes
// need more calls than the limits of a small cluster let through, and nothing else tells that apart from a CCM that hangs.
func throttled(log []string) string {
	for _, line := range slices.Backward(log) {
		if !strings.Contains(line, throttleReason) {
			continue
		}
		wait := ""
		if found := throttleDelay.FindStringSubmatch(line); found != nil {
			wait = fmt.Sprintf(": a call waited %s", escape.Line(found[1]))
		}
		return "the client of the cloud controller manager is throttled by its own limit" + wait +
			"; raise it, as by --kube-api-qps and --kube-api-burst"
	}
	return ""
}
