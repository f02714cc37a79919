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

func (t *txn) answerKey() string {
	return store.Key(string(t.caller.Project), t.req.opts.IdempotencyKey)
}

// answered finds the answer to an earlier call with the same key. An answer
// about a resource that is gone no longer counts, unless it is about its
// deletion, nor does one that is too old: the key is free again.
func (t *txn) answered(result any) (bool, error) {
	if t.req.opts.IdempotencyKey == "" {
		return false, nil
	}
	answer, ok, err := store.Answers.Get(t.tx, t.answerKey())
	if err != nil || !ok || t.tooOld(answer) || !answer.Deletion && !t.exists(answer.Resource) {
		return false, err
	}
	hash, err := t.req.hash()
	if err != nil {
		return false, err
	}
	if hash != answer.Call {
		return false, simcloud.Errorf(simcloud.Conflict, simcloud.Ref(answer.Resource.Kind, answer.Resource.ID),
			"the idempotency key %q was used for another call", t.req.opts.IdempotencyKey)
	}
	return true, json.Unmarshal(answer.Answer, result)
}

// tooOld reports whether an answer is beyond the time for which answers are kept now.
func (t *txn) tooOld(answer store.AnswerRecord) bool {
	return t.now.Sub(answer.Given) >= time.Duration(t.cloud.config.Load().IdempotencyTTL)
}

// remember keeps the answer for calls with the same key; record says what it is about.
func (t *txn) remember(result any, record store.AnswerRecord) error {
	if t.req.opts.IdempotencyKey == "" {
		return nil
	}
	var err error
	record.Given = t.now
	if record.Call, err = t.req.hash(); err != nil {
		return err
	}
	if record.Answer, err = json.Marshal(result); err != nil {
		return err
	}
	if record.Order, err = t.orderAnswer(); err != nil {
		return err
	}
	if err := store.Answers.Put(t.tx, t.answerKey(), record); err != nil {
		return err
	}
	return t.forgetAnswers(record.Order)
}

// orderAnswer puts the key behind all others of the project, and removes its
// place for an answer that no longer counts.
func (t *txn) orderAnswer() (uint64, error) {
	project := store.Key(string(t.caller.Project))
	old, ok, err := store.Answers.Get(t.tx, t.answerKey())
	if err != nil {
		return 0, err
	}
	if ok {
		if err := store.AnswerOrder.Delete(t.tx, project+store.Ordered(old.Order)); err != nil {
			return 0, err
		}
	}
	n := store.AnswerOrder.LastOrder(t.tx, project) + 1
	return n, store.AnswerOrder.Put(t.tx, project+store.Ordered(n), []byte(t.answerKey()))
}

// forgottenAtOnce is how many answers one call releases at most. It is more
// than the one that it adds, so that those too old become fewer.
const forgottenAtOnce = 4

// forgetAnswers releases the oldest answers of the project that no longer fit
// beside the newest, or are too old.
func (t *txn) forgetAnswers(newest uint64) error {
	for range forgottenAtOnce {
		place, key, ok, err := store.AnswerOrder.First(t.tx, store.Key(string(t.caller.Project)))
		if err != nil || !ok {
			return err
		}
		answer, _, err := store.Answers.Get(t.tx, string(key))
		if err != nil {
			return err
		}
		if !t.tooOld(answer) && newest-answer.Order < keptAnswers {
			return nil
		}
		if err := store.AnswerOrder.Delete(t.tx, place); err != nil {
			return err
		}
		if err := store.Answers.Delete(t.tx, string(key)); err != nil {
			return err
		}
	}
	return nil
}
