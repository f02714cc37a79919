package bubble

import (
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// Goroutine is one of a bubble.
type Goroutine struct {
	// State is what it does, such as "sync.Mutex.Lock" or "select".
	State string
	// Durable is whether only another goroutine of the bubble, or time, can end its wait: then time goes on meanwhile.
	Durable bool
	// Stack has its frames, as the runtime prints them.
	Stack string
}

// header is the first line of a stack, such as "goroutine 22 [chan receive (durable), synctest bubble 21]:".
var header = regexp.MustCompile(`^goroutine \d+ \[([^,\]]*?)( \(durable\))?((?:, [^,\]]*)*)\]:$`)

var inBubble = regexp.MustCompile(`, synctest bubble (\d+)`)

// ownBubble returns the number of the bubble that the caller is in.
func ownBubble() int64 {
	buffer := make([]byte, 256)
	first, _, _ := strings.Cut(string(buffer[:runtime.Stack(buffer, false)]), "\n")
	found := inBubble.FindStringSubmatch(first)
	if found == nil {
		return 0
	}
	id, _ := strconv.ParseInt(found[1], 10, 64)
	return id
}

// goroutinesOf returns the goroutines of a bubble.
func goroutinesOf(id int64) []Goroutine { return parse(string(stacks()), id) }

func parse(dump string, id int64) []Goroutine {
	var all []Goroutine
	for stack := range strings.SplitSeq(dump, "\n\n") {
		first, rest, _ := strings.Cut(strings.TrimSpace(stack), "\n")
		found := header.FindStringSubmatch(first)
		if found == nil {
			continue
		}
		if of := inBubble.FindStringSubmatch(found[3]); of != nil && of[1] == strconv.FormatInt(id, 10) {
			all = append(all, Goroutine{State: found[1], Durable: found[2] != "", Stack: rest})
		}
	}
	return all
}

func stacksOf(all []Goroutine) string {
	var text []string
	for _, g := range all {
		text = append(text, g.State+":\n"+g.Stack)
	}
	return strings.Join(text, "\n\n")
}

// runs reports whether a goroutine does something, or will at once.
func (g Goroutine) runs() bool {
	switch g.State {
	case "running", "runnable", "syscall", "GC assist wait", "GC sweep wait", "preempted", "copystack":
		return true
	}
	return false
}

// functions are the names of the functions of a stack, the innermost first.
func (g Goroutine) functions() []string {
	var names []string
	for line := range strings.SplitSeq(g.Stack, "\n") {
		if line == "" || line[0] == '\t' || strings.HasPrefix(line, "created by ") {
			continue
		}
		if open := strings.LastIndexByte(line, '('); open > 0 {
			names = append(names, line[:open])
		}
	}
	return names
}

// packageOf is the package of a function such as example.com/acme.(*cloud).list.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/')
	if dot := strings.IndexByte(function[slash+1:], '.'); dot >= 0 {
		return function[:slash+1+dot]
	}
	return function
}
