package store

import "github.com/simcloud-dev/simcloud/simcloud"

// toVersion4 divides the order of answers and of finished operations by
// project: until then the whole cloud shared one order, and one limit. It
// counts again what projects use, as huge instance types made that overflow,
// and redacts the events of projects that are gone, which were kept as they are.
func toVersion4(tx *Tx) error {
	for _, step := range []func(*Tx) error{divideAnswers, divideFinished, Recount, redactGone} {
		if err := step(tx); err != nil {
			return err
		}
	}
	return nil
}

// redactGone redacts also the former events of a project whose name another one has by now.
func redactGone(tx *Tx) error {
	gone := map[simcloud.ID]uint64{} // up to which revision
	if err := tx.bucket(eventBucket).ForEach(func(_, raw []byte) error {
		event, err := decodeEvent(raw)
		if err == nil && event.Kind == simcloud.KindProject && event.Type == simcloud.Deleted {
			gone[event.ID] = event.Revision
		}
		return err
	}); err != nil {
		return err
	}
	return tx.redact(nil, func(e *simcloud.Event) bool {
		return e.Project != "" && (e.Revision <= gone[e.Project] || !Projects.Has(tx, e.Project))
	})
}

// numbering counts the entries of each project.
type numbering map[string]uint64

// next returns the key and the order of the next entry of a project.
func (n numbering) next(project string) (key string, order uint64) {
	n[project]++
	return Key(project) + Ordered(n[project]), n[project]
}

func divideAnswers(tx *Tx) (err error) {
	var keys []string
	for place, key := range AnswerOrder.All(tx, &err) {
		if answer, ok, err := Answers.Get(tx, string(key)); err != nil {
			return err
		} else if ok && answer.Order == Order(place) {
			keys = append(keys, string(key))
		}
	}
	if err != nil {
		return err
	}
	if err := AnswerOrder.Clear(tx); err != nil {
		return err
	}
	numbers := numbering{}
	for _, key := range keys {
		answer, _, err := Answers.Get(tx, key)
		if err != nil {
			return err
		}
		var place string
		place, answer.Order = numbers.next(PartAfter(key))
		if err := Answers.Put(tx, key, answer); err != nil {
			return err
		}
		if err := AnswerOrder.Put(tx, place, []byte(key)); err != nil {
			return err
		}
	}
	return nil
}

func divideFinished(tx *Tx) (err error) {
	var ids []simcloud.ID
	for _, id := range Finished.All(tx, &err) {
		ids = append(ids, id)
	}
	if err != nil {
		return err
	}
	if err := Finished.Clear(tx); err != nil {
		return err
	}
	numbers := numbering{}
	for _, id := range ids {
		op, err := Operations.Get(tx, id)
		if simcloud.CodeOf(err) == simcloud.NotFound {
			continue // its project was deleted
		}
		if err != nil {
			return err
		}
		place, _ := numbers.next(string(op.Project))
		if err := Finished.Put(tx, place, id); err != nil {
			return err
		}
	}
	return nil
}
