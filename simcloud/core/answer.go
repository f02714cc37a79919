package core

import (
	"encoding/json"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// keptAnswers is how many answers to calls with an idempotency key are kept of
// each project. Callers without a project share one more such number.
const keptAnswers = 16_384

func (w *work) answerKey() string {
	return store.Key(string(w.caller.Project), w.call.opts.IdempotencyKey)
}

// answered finds the answer to an earlier call with the same key. An answer
// about a resource that is gone no longer counts, unless it is about its
// deletion, nor does one that is too old: the key is free again.
func (w *work) answered(result any) (bool, error) {
	if w.call.opts.IdempotencyKey == "" {
		return false, nil
	}
	answer, ok, err := store.Answers.Get(w.tx, w.answerKey())
	if err != nil || !ok || w.tooOld(answer) || !answer.Deletion && !w.exists(answer.Resource) {
		return false, err
	}
	hash, err := w.call.hash()
	if err != nil {
		return false, err
	}
	if hash != answer.Call {
		return false, simcloud.Errorf(simcloud.Conflict, simcloud.Ref(answer.Resource.Kind, answer.Resource.ID),
			"the idempotency key %q was used for another call", w.call.opts.IdempotencyKey)
	}
	return true, json.Unmarshal(answer.Answer, result)
}

// tooOld reports whether an answer is beyond the time for which answers are kept now.
func (w *work) tooOld(answer store.AnswerRecord) bool {
	return w.now.Sub(answer.Given) >= time.Duration(w.config.Load().IdempotencyTTL)
}

// remember keeps the answer for calls with the same key; record says what it is about.
func (w *work) remember(result any, record store.AnswerRecord) error {
	if w.call.opts.IdempotencyKey == "" {
		return nil
	}
	var err error
	record.Given = w.now
	if record.Call, err = w.call.hash(); err != nil {
		return err
	}
	if record.Answer, err = json.Marshal(result); err != nil {
		return err
	}
	if record.Order, err = w.orderAnswer(); err != nil {
		return err
	}
	if err := store.Answers.Put(w.tx, w.answerKey(), record); err != nil {
		return err
	}
	return w.forgetAnswers(record.Order)
}

// orderAnswer puts the key behind all others of the project, and removes its
// place for an answer that no longer counts.
func (w *work) orderAnswer() (uint64, error) {
	project := store.Key(string(w.caller.Project))
	old, ok, err := store.Answers.Get(w.tx, w.answerKey())
	if err != nil {
		return 0, err
	}
	if ok {
		if err := store.AnswerOrder.Delete(w.tx, project+store.Ordered(old.Order)); err != nil {
			return 0, err
		}
	}
	n := store.AnswerOrder.LastOrder(w.tx, project) + 1
	return n, store.AnswerOrder.Put(w.tx, project+store.Ordered(n), []byte(w.answerKey()))
}

// forgottenAtOnce is how many answers one call releases at most. It is more
// than the one that it adds, so that those too old become fewer.
const forgottenAtOnce = 4

// forgetAnswers releases the oldest answers of the project that no longer fit
// beside the newest, or are too old.
func (w *work) forgetAnswers(newest uint64) error {
	for range forgottenAtOnce {
		place, key, ok, err := store.AnswerOrder.First(w.tx, store.Key(string(w.caller.Project)))
		if err != nil || !ok {
			return err
		}
		answer, _, err := store.Answers.Get(w.tx, string(key))
		if err != nil {
			return err
		}
		if !w.tooOld(answer) && newest-answer.Order < keptAnswers {
			return nil
		}
		if err := store.AnswerOrder.Delete(w.tx, place); err != nil {
			return err
		}
		if err := store.Answers.Delete(w.tx, string(key)); err != nil {
			return err
		}
	}
	return nil
}
