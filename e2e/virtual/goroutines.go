package virtual

import (
	"bytes"
	"fmt"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"
)

// LeftError is goroutines of a process that have not ended although they were told to, as goroutines that rely on the end of
// their process.
type LeftError struct {
	After  time.Duration
	Stacks []string // those with the same stack are one
	Count  int      // of the goroutines
}

// Error has the stacks.
func (e *LeftError) Error() string {
	return fmt.Sprintf("%d goroutines have not ended %s after they were told to:\n%s", e.Count, e.After, strings.Join(e.Stacks, "\n"))
}

// soon is when most goroutines have ended that were told to, and longestPause how late the end of the last one may be noticed. A
// look at all goroutines of the program costs as much as dozens of requests.
const (
	soon         = 50 * time.Millisecond
	longestPause = time.Second
)

// Wait waits until the goroutines of the process have ended, and is to be called when they were told to. After the limit it
// returns a [*LeftError] with those that remain. Goroutines that read and write the connections of an HTTP client are
// not waited for: whoever made the transport closes its connections.
func (p *Process) Wait(limit time.Duration) error {
	defer p.forget()
	begun := time.Now()
	for pause := soon; ; pause = min(2*pause, longestPause) {
		time.Sleep(pause) // in a bubble this is until all others wait
		left, count := p.goroutines()
		if count == 0 {
			return nil
		}
		if time.Since(begun) >= limit {
			return &LeftError{After: limit, Stacks: left, Count: count}
		}
	}
}

// connections are what the goroutines of an HTTP client's connections run.
var connections = [][]byte{
	[]byte("net/http.(*persistConn).readLoop"), []byte("net/http.(*persistConn).writeLoop"),
	[]byte("net/http.(*http2clientConnReadLoop)"), []byte("http2.(*clientConnReadLoop)"),
}

// goroutines returns the stacks of the goroutines of the process, those with the same stack as one, and how many goroutines they are.
func (p *Process) goroutines() (found []string, count int) {
	var profile bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&profile, 1) // a buffer takes all
	label := fmt.Appendf(nil, "%q:%q", labelKey, p.id)
	for stack := range bytes.SplitSeq(profile.Bytes(), []byte("\n\n")) {
		if bytes.Contains(stack, label) && !isConnection(stack) {
			found = append(found, string(stack))
			count += countOf(stack)
		}
	}
	return found, count
}

// countOf is how many goroutines a stack of the profile stands for, as in "3 @ 0x47e1ce 0x4145b8". The header of the profile is
// in the line before the first one.
func countOf(stack []byte) int {
	first, _, _ := bytes.Cut(stack, []byte(" @ "))
	n, _ := strconv.Atoi(string(first[bytes.LastIndexByte(first, '\n')+1:]))
	return n
}

func isConnection(stack []byte) bool {
	for _, function := range connections {
		if bytes.Contains(stack, function) {
			return true
		}
	}
	return false
}
