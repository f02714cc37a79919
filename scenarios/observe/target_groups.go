package observe

import "maps"

// A load balancer whose listeners forward to target groups is shown as one that has what its groups have, so that
// scenarios and oracles judge both alike: its targets are its own and, by instance, those of its groups, and the
// target port, the health check and the PROXY protocol of a listener are those of its group. One that has no
// group yet, beside some that have, where the load balancer has no targets of its own, forwards nowhere: its target
// port is 0. The groups themselves are shown as they are.

// withGroups returns the load balancers as they are shown, with what their groups have.
func withGroups(balancers, groups []any) []any {
	shown := make([]any, len(balancers))
	for i, balancer := range balancers {
		shown[i] = balancer
		if lb, ok := balancer.(map[string]any); ok {
			shown[i] = withGroupsOf(lb, groups)
		}
	}
	return shown
}

func withGroupsOf(lb map[string]any, groups []any) map[string]any {
	var named []map[string]any
	var listeners []any
	own := List(lb["targets"])
	for _, l := range List(lb["listeners"]) {
		listener, _ := l.(map[string]any)
		id, _ := listener["targetGroup"].(string)
		if group := FindResource(groups, id); id != "" && group != nil {
			named = append(named, group)
			listener = asGroup(listener, group)
		} else if id == "" && len(own) == 0 {
			listener = maps.Clone(listener)
			listener["targetPort"] = int64(0)
		}
		listeners = append(listeners, listener)
	}
	if len(named) == 0 {
		return lb
	}
	shown := maps.Clone(lb)
	shown["listeners"], shown["targets"] = listeners, unionOf(own, named)
	return shown
}

// asGroup is a listener with the settings of its group. A check that asks each target at its own
// port has the port that the targets have.
func asGroup(listener, group map[string]any) map[string]any {
	listener = maps.Clone(listener)
	port := portOf(group)
	listener["targetPort"] = port
	for _, field := range []string{"healthCheck", "proxyProtocol"} {
		if value, set := group[field]; set {
			listener[field] = value
		}
	}
	if check, ok := listener["healthCheck"].(map[string]any); ok && check["port"] == int64(0) {
		check = maps.Clone(check)
		check["port"] = port
		listener["healthCheck"] = check
	}
	return listener
}

// portOf is the port of all targets of a group; that of the group itself without targets, and where they differ.
func portOf(group map[string]any) any {
	targets := List(group["targets"])
	if len(targets) == 0 {
		return group["port"]
	}
	port := Dig(targets[0], "port")
	for _, target := range targets {
		if Dig(target, "port") != port {
			return group["port"]
		}
	}
	return port
}

// unionOf are targets and those of groups, each instance or address once: healthy when all its targets in groups are.
func unionOf(own []any, groups []map[string]any) []any {
	all, at := append([]any{}, own...), map[any]int{}
	for _, target := range own {
		at[targetKey(target)] = -1
	}
	for _, group := range groups {
		for _, t := range List(group["targets"]) {
			target, _ := t.(map[string]any)
			key := targetKey(target)
			i, known := at[key]
			switch {
			case !known:
				target = maps.Clone(target)
				delete(target, "port")
				at[key] = len(all)
				all = append(all, target)
			case i >= 0 && Dig(all[i], "health") == "healthy":
				worse := maps.Clone(all[i].(map[string]any))
				worse["health"] = target["health"]
				all[i] = worse
			}
		}
	}
	return all
}

// targetKey tells targets of a load balancer apart: the id of the instance, or else the address.
func targetKey(target any) any {
	if instance := Dig(target, "instance"); instance != nil && instance != "" {
		return instance
	}
	return Dig(target, "address")
}
