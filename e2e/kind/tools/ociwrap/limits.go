package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// limitNames are the names of /proc/self/limits for those of specifications.
func limitNames() map[string]string {
	return map[string]string{
		"Max cpu time": "RLIMIT_CPU", "Max file size": "RLIMIT_FSIZE", "Max data size": "RLIMIT_DATA",
		"Max stack size": "RLIMIT_STACK", "Max core file size": "RLIMIT_CORE", "Max resident set": "RLIMIT_RSS",
		"Max processes": "RLIMIT_NPROC", "Max open files": "RLIMIT_NOFILE", "Max locked memory": "RLIMIT_MEMLOCK",
		"Max address space": "RLIMIT_AS", "Max file locks": "RLIMIT_LOCKS", "Max pending signals": "RLIMIT_SIGPENDING",
		"Max msgqueue size": "RLIMIT_MSGQUEUE", "Max nice priority": "RLIMIT_NICE", "Max realtime priority": "RLIMIT_RTPRIO",
		"Max realtime timeout": "RLIMIT_RTTIME",
	}
}

// limits are the hard limits of this process by the names of specifications.
func (p procFiles) limits() (map[string]uint64, error) {
	raw, err := os.ReadFile(filepath.Join(string(p), "self/limits"))
	if err != nil {
		return nil, err
	}
	ends := map[string]uint64{}
	for line := range strings.Lines(string(raw)) {
		for title, name := range limitNames() {
			rest, ok := strings.CutPrefix(line, title+" ")
			if !ok {
				continue
			}
			if ends[name], err = hardLimit(rest); err != nil {
				return nil, err
			}
		}
	}
	return ends, nil
}

// hardLimit is the second word: the first is the soft limit.
func hardLimit(text string) (uint64, error) {
	words := strings.Fields(text)
	switch {
	case len(words) < 2:
		return 0, fmt.Errorf("a line of the limits of this process has no hard limit: %q", text)
	case words[1] == "unlimited":
		return math.MaxUint64, nil
	}
	return strconv.ParseUint(words[1], 10, 64)
}
