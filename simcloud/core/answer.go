package core

import (
	"encoding/json"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// keptAnswers is how many answers to calls with an idempotency key are kept.
const keptAnswers = 65536

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

// orderAnswer puts the key behind all others, and no longer where it was for
// an answer that does not count any more.
func (w *work) orderAnswer() (uint64, error) {
	old, ok, err := store.Answers.Get(w.tx, w.answerKey())
	if err != nil {
		return 0, err
	}
	if ok {
		if err := store.AnswerOrder.Delete(w.tx, store.Ordered(old.Order)); err != nil {
			return 0, err
		}
	}
	n, err := store.AnswerCounter.Next(w.tx)
	if err != nil {
		return 0, err
	}
	return n, store.AnswerOrder.Put(w.tx, store.Ordered(n), []byte(w.answerKey()))
}

// forgottenAtOnce is how many answers one call lets go of at most. It is more
// than the one that it adds, so that those too old get fewer.
const forgottenAtOnce = 4

// forgetAnswers lets go of the oldest answers that no longer fit beside the
// newest, or are too old.
func (w *work) forgetAnswers(newest uint64) error {
	for range forgottenAtOnce {
		place, key, ok, err := store.AnswerOrder.First(w.tx, "")
		if err != nil || !ok {
			return err
		}
		order := store.Order(place)
		answer, there, err := store.Answers.Get(w.tx, string(key))
		if err != nil {
			return err
		}
		there = there && answer.Order == order
		if there && !w.tooOld(answer) && newest-order < keptAnswers {
			return nil
		}
		if err := store.AnswerOrder.Delete(w.tx, place); err != nil {
			return err
		}
		if !there {
			continue
		}
		if err := store.Answers.Delete(w.tx, string(key)); err != nil {
			return err
		}
	}
	return nil
}
