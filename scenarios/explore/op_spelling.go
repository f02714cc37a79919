package explore

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
)

// spelling is how files spell one type of op: its name, and its fields by their keys.
type spelling struct {
	name string
	of   reflect.Type
	// write returns the fields of an op.
	write func(op Op) []field
	// read makes an op of a mapping of fields.
	read func(n *yaml.Node) (Op, error)
}

// spelled spells a type of op. Files keep the name and the keys: they stay when the type is renamed.
func spelled[T Op](name string, fields func(op *T) []field) spelling {
	return spelling{
		name: name,
		of:   reflect.TypeFor[T](),
		write: func(op Op) []field {
			o := op.(T)
			return fields(&o)
		},
		read: func(n *yaml.Node) (Op, error) {
			var op T
			err := readFields(n, fields(&op))
			return op, err
		},
	}
}

// none has no fields.
func none[T Op](*T) []field { return nil }

// spellings are those of all types of ops.
func spellings() []spelling {
	return slices.Concat(machineSpellings(), serviceSpellings(), otherClientSpellings(), ccmSpellings(), faultSpellings())
}

// machineSpellings spell the moves of VMs and their Nodes.
func machineSpellings() []spelling {
	return []spelling{
		spelled("addVM", func(o *addVM) []field { return []field{nameField(&o.name), flagField("bare", &o.bare)} }),
		spelled("addToldVM", func(o *addToldVM) []field { return []field{nameField(&o.name)} }),
		spelled("addUnseenVM", func(o *addUnseenVM) []field { return []field{nameField(&o.name)} }),
		spelled("deleteVM", func(o *deleteVM) []field { return []field{nameField(&o.name)} }),
		spelled("stopVM", func(o *stopVM) []field { return []field{nameField(&o.name), flagField("suspend", &o.suspend)} }),
		spelled("startVM", func(o *startVM) []field { return []field{nameField(&o.name)} }),
		spelled("silence", func(o *silence) []field { return []field{nameField(&o.name)} }),
		spelled("speak", func(o *speak) []field { return []field{nameField(&o.name)} }),
		spelled("exclude", func(o *exclude) []field { return []field{nameField(&o.name)} }),
		spelled("include", func(o *include) []field { return []field{nameField(&o.name)} }),
		spelled("replaceVM", func(o *replaceVM) []field { return []field{nameField(&o.name)} }),
		spelled("returnVM", func(o *returnVM) []field { return []field{nameField(&o.name)} }),
		spelled("rebootVM", func(o *rebootVM) []field { return []field{nameField(&o.name)} }),
		spelled("resizeVM", func(o *resizeVM) []field { return []field{nameField(&o.name)} }),
		spelled("addAddress", func(o *addAddress) []field { return []field{nameField(&o.name)} }),
		spelled("fullTable", func(o *fullTable) []field { return []field{nameField(&o.name)} }),
		spelled("moveVM", func(o *moveVM) []field { return []field{nameField(&o.name)} }),
		spelled("zoneDown", func(o *zoneDown) []field { return []field{nameField(&o.name)} }),
		spelled("zoneUp", none[zoneUp]),
	}
}

// serviceSpellings spell the moves of Services.
func serviceSpellings() []spelling {
	return []spelling{
		spelled("addService", func(o *addService) []field {
			return []field{
				nameField(&o.name), numberField("ports", &o.ports, 1, 2), flagField("local", &o.local), flagField("sticky", &o.sticky),
				flagField("dual", &o.dual), numberField("ranges", &o.ranges, 0, len(allRanges)),
			}
		}),
		spelled("changePorts", func(o *changePorts) []field {
			return []field{nameField(&o.name), numberField("port", &o.port, 1, 32767), numberField("ports", &o.ports, 1, 2)}
		}),
		spelled("changeRanges", func(o *changeRanges) []field {
			return []field{nameField(&o.name), numberField("ranges", &o.ranges, 0, len(allRanges))}
		}),
		spelled("changeAffinity", func(o *changeAffinity) []field { return []field{nameField(&o.name)} }),
		spelled("changePolicy", func(o *changePolicy) []field { return []field{nameField(&o.name)} }),
		spelled("changeFamilies", func(o *changeFamilies) []field { return []field{nameField(&o.name)} }),
		spelled("changeDeleted", func(o *changeDeleted) []field { return []field{nameField(&o.name)} }),
		spelled("serviceElsewhere", func(o *serviceElsewhere) []field { return []field{nameField(&o.name)} }),
		spelled("changeType", func(o *changeType) []field { return []field{nameField(&o.name)} }),
		spelled("deleteService", func(o *deleteService) []field { return []field{nameField(&o.name)} }),
		spelled("replaceService", func(o *replaceService) []field { return []field{nameField(&o.name)} }),
		spelled("rivalService", func(o *rivalService) []field {
			return []field{nameField(&o.name), choiceField("wants", &o.wants, []wants{wantsAddress, wantsBalancer})}
		}),
		spelled("touchNode", func(o *touchNode) []field { return []field{nameField(&o.name)} }),
		spelled("nudge", func(o *nudge) []field { return []field{nameField(&o.name)} }),
		spelled("slowBalancers", none[slowBalancers]),
	}
}

// otherClientSpellings spell the moves of other clients.
func otherClientSpellings() []spelling {
	return []spelling{
		spelled("dropBalancer", func(o *dropBalancer) []field { return []field{nameField(&o.name)} }),
		spelled("breakBalancer", func(o *breakBalancer) []field { return []field{nameField(&o.name)} }),
		spelled("dropTarget", func(o *dropTarget) []field { return []field{nameField(&o.name)} }),
		spelled("dropListener", func(o *dropListener) []field { return []field{nameField(&o.name)} }),
		spelled("dropRoute", func(o *dropRoute) []field { return []field{nameField(&o.name)} }),
		spelled("foreignTarget", func(o *foreignTarget) []field { return []field{nameField(&o.name)} }),
		spelled("foreignRoute", none[foreignRoute]),
		spelled("foreignBalancer", none[foreignBalancer]),
		spelled("foreignAddress", none[foreignAddress]),
		spelled("addTwin", func(o *addTwin) []field { return []field{nameField(&o.name)} }),
		spelled("nameTaken", func(o *nameTaken) []field { return []field{nameField(&o.name)} }),
	}
}

// ccmSpellings spell the moves of the CCM and the API server.
func ccmSpellings() []spelling {
	return []spelling{
		spelled("ccm", func(o *ccmDo) []field { return []field{choiceField("do", &o.verb, ccmVerbs())} }),
		spelled("killAt", func(o *killAt) []field {
			return []field{choiceField("operation", &o.operation, killOperations()), flagField("after", &o.after)}
		}),
		spelled("spare", none[spare]),
		spelled("newToken", none[newToken]),
		spelled("forbid", func(o *forbid) []field {
			return []field{choiceField("verbs", &o.verbs, forbiddenVerbs()), choiceField("resources", &o.resources, forbiddenResources())}
		}),
		spelled("allow", none[allow]),
		spelled("restartAPI", none[restartAPI]),
		spelled("delayAPI", func(o *delayAPI) []field {
			return []field{choiceField("verb", &o.verb, delayedVerbs()), choiceField("resource", &o.resource, delayedResources())}
		}),
		spelled("undelayAPI", none[undelayAPI]),
		spelled("lagAPI", func(o *lagAPI) []field {
			return []field{choiceField("kind", &o.kind, lagKinds()), choiceField("resources", &o.resources, laggedResources())}
		}),
		spelled("travelAPI", func(o *travelAPI) []field {
			return []field{choiceField("resources", &o.resources, laggedResources()), numberField("back", &o.back, 1, mostBack)}
		}),
		spelled("catchUpAPI", none[catchUpAPI]),
	}
}

// faultSpellings spell the fault rules, the checks and the waits.
func faultSpellings() []spelling {
	return []spelling{
		spelled("arm", func(o *arm) []field { return ruleFields(o) }),
		spelled("deleteRefused", func(o *deleteRefused) []field { return append(ruleFields(&o.rule), nameField(&o.name)) }),
		spelled("smallPages", none[smallPages]),
		spelled("clearFaults", none[clearFaults]),
		spelled("check", func(o *check) []field { return []field{choiceField("part", &o.part, parts())} }),
		spelled("wait", none[wait]),
	}
}

// ruleFields returns the fields of a fault rule.
func ruleFields(o *arm) []field {
	return []field{choiceField("operation", &o.operation, faultOperations()), linesField("effects", &o.effects, faultEffects()), numberField("times", &o.times, 0, 1000)}
}

// spellingOfType has the spelling of each type of op.
var spellingOfType = sync.OnceValue(func() map[reflect.Type]spelling {
	all := map[reflect.Type]spelling{}
	for _, s := range spellings() {
		all[s.of] = s
	}
	return all
})

// spellingOf is how an op is spelled. A test draws every op: each has a spelling.
func spellingOf(op Op) spelling { return spellingOfType()[reflect.TypeOf(op)] }

// opNode is an op as files have it: its name, with its fields if it has any.
func opNode(op Op) *yaml.Node {
	s := spellingOf(op)
	key := &yaml.Node{Kind: yaml.ScalarNode, Value: s.name}
	args := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for _, f := range s.write(op) {
		if value := f.write(); value != nil {
			args.Content = append(args.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: f.key}, value)
		}
	}
	if len(args.Content) == 0 {
		return key
	}
	return &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, args}}
}

// readOp is the op that a file spells.
func readOp(n *yaml.Node) (Op, error) {
	name, args := n, (*yaml.Node)(nil)
	if n.Kind == yaml.MappingNode && len(n.Content) == 2 {
		name, args = n.Content[0], n.Content[1]
	}
	if name.Kind != yaml.ScalarNode {
		return nil, fmt.Errorf("line %d is not an op, which has a name and its fields", n.Line)
	}
	all := spellings()
	i := slices.IndexFunc(all, func(s spelling) bool { return s.name == name.Value })
	if i < 0 {
		return nil, fmt.Errorf("line %d: this version of simcloud has no op %q", n.Line, name.Value)
	}
	op, err := all[i].read(args)
	if err != nil {
		return nil, fmt.Errorf("line %d: op %s: %w", n.Line, name.Value, err)
	}
	return op, nil
}
