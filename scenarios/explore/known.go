package explore

import "slices"

// known is a violation that was reported already, by this exploration or by one of its corpus before.
type known struct {
	// name is what it was reported as.
	name, rule string
	// words are its moves, without their arguments.
	words []string
}

// wordsOf are the moves of a history, without their arguments: not what waits, expects, or ends what goes wrong.
func wordsOf(h History) (words []string) {
	for _, op := range h.Ops {
		if _, waits := op.(wait); waits || isEnd(op) {
			continue
		}
		name := spellingOf(op).name
		if o, is := op.(ccmDo); is {
			name += " " + o.verb
		}
		words = append(words, name)
	}
	return words
}

// knows reports whether a history that breaks a rule has the moves of the known violation, in their order.
func (k known) knows(rule string, words []string) bool {
	if rule != k.rule {
		return false
	}
	for _, word := range k.words {
		at := slices.Index(words, word)
		if at < 0 {
			return false
		}
		words = words[at+1:]
	}
	return true
}

// unknown is the first of the violations of a history that none of the known ones explains; the name of the one that
// explains the first of them when all are known.
func unknown(all []known, h History, found []violation) (first *violation, name string) {
	words := wordsOf(h)
	for i, v := range found {
		at := slices.IndexFunc(all, func(k known) bool { return k.knows(v.rule, words) })
		if at < 0 {
			return &found[i], ""
		}
		if name == "" {
			name = all[at].name
		}
	}
	return nil, name
}
