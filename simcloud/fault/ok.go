package fault

// OK lets the call be: as a step of a sequence, or to shield calls from younger rules.
type OK struct{ anyCall }

func (*OK) check(*fields, string) {}

func (*OK) example() Rule {
	return Rule{Match: Match{Caller: "simcloud-cli*"}, Effect: Effect{OK: &OK{}}}
}
