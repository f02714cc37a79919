package fault

// Example returns a rule that has an effect, and the operations that can have the effect of it, in words;
// false for an effect that does not exist.
func Example(effect string) (rule Rule, operations string, ok bool) {
	for _, each := range (Effect{}).all() {
		if each.name != effect {
			continue
		}
		rule = each.example()
		one, _ := rule.Effect.one()
		return rule, one.of(), true
	}
	return Rule{}, "", false
}
