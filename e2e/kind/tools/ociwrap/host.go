package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// procFiles is where the kernel tells of this process: "/proc".
type procFiles string

// host is what processes on this host can have.
type host struct {
	has      uint64 // the capabilities that can be had, a bit each
	last     int    // the number of the last capability that the kernel knows
	hardEnds map[string]uint64
}

func (p procFiles) host() (host, error) {
	var h host
	var err error
	if h.has, err = p.bounding(); err != nil {
		return h, err
	}
	raw, err := os.ReadFile(filepath.Join(string(p), "sys/kernel/cap_last_cap"))
	if err != nil {
		return h, err
	}
	if h.last, err = strconv.Atoi(strings.TrimSpace(string(raw))); err != nil || h.last < 0 || h.last > 63 {
		return h, fmt.Errorf("the last capability of this kernel is %q, which is no number from 0 to 63", raw)
	}
	h.hardEnds, err = p.limits()
	return h, err
}

// bounding is the set of capabilities beyond which no process of this one's line can go.
func (p procFiles) bounding() (uint64, error) {
	path := filepath.Join(string(p), "self/status")
	raw, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		if text, ok := strings.CutPrefix(line, "CapBnd:"); ok {
			return strconv.ParseUint(strings.TrimSpace(text), 16, 64)
		}
	}
	return 0, fmt.Errorf("%s has no line CapBnd", path)
}

func (h host) lacksNothing() bool {
	all := uint64(1)<<(h.last+1) - 1
	return h.has&all == all
}

func (h host) lacks(capability int) bool { return h.has&(1<<capability) == 0 }
