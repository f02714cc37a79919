package explore

import (
	"maps"
	"slices"
)

// What the fields of ops can be, in files.

func ccmVerbs() []string { return slices.Sorted(maps.Keys(ccmMoves)) }

// killOperations are calls at which a CCM can be killed.
func killOperations() []string {
	return []string{"CreateLoadBalancer", "DeleteLoadBalancer", "CreateFloatingIP", "DeleteFloatingIP", "*Target", "*Listener", "CreateRoute", "DeleteRoute"}
}

func forbiddenVerbs() []string {
	var all []string
	for _, op := range forbids() {
		all = append(all, op.verbs)
	}
	return all
}

func forbiddenResources() []string {
	var all []string
	for _, op := range forbids() {
		all = append(all, op.resources)
	}
	return all
}

func delayedVerbs() []string {
	var all []string
	for _, op := range delays() {
		all = append(all, op.verb)
	}
	return all
}

func delayedResources() []string {
	var all []string
	for _, op := range delays() {
		all = append(all, op.resource)
	}
	return all
}

func faultOperations() []string {
	var all []string
	for _, f := range allFaults() {
		all = append(all, f.operations...)
	}
	return all
}

func faultEffects() []string {
	var all []string
	for _, f := range allFaults() {
		all = append(all, f.effects...)
	}
	return all
}

func parts() []part {
	var all []part
	for _, p := range promises() {
		all = append(all, p.part)
	}
	return all
}
