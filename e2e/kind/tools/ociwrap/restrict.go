package main

import (
	"encoding/json"
	"fmt"
	"slices"
)

// fields is a JSON object of which only some fields are understood.
type fields = map[string]json.RawMessage

// change turns one understood field into what the host can do.
type change func(json.RawMessage) (any, error)

// restrict takes from the description of a process what the host lacks: the
// capabilities, and without CAP_SYS_RESOURCE also a score for the memory killer
// below zero, and limits above its own.
func (h host) restrict(process fields) error {
	changes := map[string]change{"capabilities": h.capabilitySets}
	if h.lacks(capabilitySysResource) {
		changes["oomScoreAdj"] = oomScore
		changes["rlimits"] = h.rlimits
	}
	for name, change := range changes {
		raw, ok := process[name]
		if !ok || string(raw) == "null" {
			continue
		}
		value, err := change(raw)
		if err == nil {
			process[name], err = json.Marshal(value)
		}
		if err != nil {
			return fmt.Errorf("process.%s: %w", name, err)
		}
	}
	return nil
}

// capabilitySets are the bounding, effective, inheritable, permitted and ambient sets.
func (h host) capabilitySets(raw json.RawMessage) (any, error) {
	var sets map[string][]string
	if err := json.Unmarshal(raw, &sets); err != nil {
		return nil, err
	}
	for name, set := range sets {
		sets[name] = slices.DeleteFunc(set, h.lacksNamed)
	}
	return sets, nil
}

func oomScore(raw json.RawMessage) (any, error) {
	var score int
	err := json.Unmarshal(raw, &score)
	return max(score, 0), err
}

type rlimit struct {
	Type string `json:"type"`
	Hard uint64 `json:"hard"`
	Soft uint64 `json:"soft"`
}

func (h host) rlimits(raw json.RawMessage) (any, error) {
	var limits []rlimit
	if err := json.Unmarshal(raw, &limits); err != nil {
		return nil, err
	}
	for i := range limits {
		l := &limits[i]
		if end, known := h.hardEnds[l.Type]; known {
			l.Hard, l.Soft = min(l.Hard, end), min(l.Soft, end)
		}
	}
	return limits, nil
}
