package virtual

import (
	"bytes"
	"fmt"
	"runtime/pprof"
	"strings"
	"time"
)

// soon is when most goroutines have ended that were told to. A look at all goroutines of the program costs as much as dozens of requests.
const soon = 50 * time.Millisecond

// Wait waits until the goroutines of the process have ended, and is to be called when they were told to. After the limit it
// returns an error with the stacks of those that remain. Goroutines that read and write the connections of an HTTP client are
// not waited for: whoever made the transport closes its connections.
func (p *Process) Wait(limit time.Duration) error {
	defer p.forget()
	begun := time.Now()
	for pause := soon; ; pause = min(2*pause, time.Second) {
		time.Sleep(pause) // in a bubble this is until all others wait
		left := p.goroutines()
		if len(left) == 0 {
			return nil
		}
		if time.Since(begun) >= limit {
			return fmt.Errorf("%d goroutines have not ended %s after they were told to:\n%s", len(left), limit, strings.Join(left, "\n"))
		}
	}
}

// connections are what the goroutines of an HTTP client's connections run.
var connections = [][]byte{
	[]byte("net/http.(*persistConn).readLoop"), []byte("net/http.(*persistConn).writeLoop"),
	[]byte("net/http.(*http2clientConnReadLoop)"), []byte("http2.(*clientConnReadLoop)"),
}

// goroutines returns the stacks of the goroutines of the process, those with the same stack as one.
func (p *Process) goroutines() []string {
	var profile bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&profile, 1) // a buffer takes all
	label := fmt.Appendf(nil, "%q:%q", labelKey, p.id)
	var found []string
	for stack := range bytes.SplitSeq(profile.Bytes(), []byte("\n\n")) {
		if bytes.Contains(stack, label) && !isConnection(stack) {
			found = append(found, string(stack))
		}
	}
	return found
}

func isConnection(stack []byte) bool {
	for _, function := range connections {
		if bytes.Contains(stack, function) {
			return true
		}
	}
	return false
}
