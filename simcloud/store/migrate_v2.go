package store

import (
	"encoding/hex"
	"fmt"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// toVersion2 brings a file of the first release to what has tokens with
// states, pools of floating IPs, quotas, and more kinds of resources. It
// makes the buckets that this program knows: those that later versions add
// are empty then, and their steps find them there.
func toVersion2(tx *Tx) error {
	if err := makeBuckets(tx); err != nil {
		return err
	}
	now, err := lastTime(tx)
	if err != nil {
		return err
	}
	for _, step := range []func(*Tx, time.Time) error{tokensToVersion2, answersToVersion2, poolsToVersion2} {
		if err := step(tx, now); err != nil {
			return err
		}
	}
	for _, k := range kinds() {
		if err := k.rebuild(tx); err != nil {
			return err
		}
	}
	return Recount(tx)
}

// lastTime is the time of the cloud as far as the file knows it.
func lastTime(tx *Tx) (time.Time, error) {
	moment, _, err := Time.Get(tx)
	if err != nil || tx.Revision() == 0 {
		return moment.Cloud, err
	}
	events, err := tx.Events(tx.Revision()-1, 1)
	if err == nil && len(events) > 0 && events[0].Time.After(moment.Cloud) {
		return events[0].Time, nil
	}
	return moment.Cloud, err
}

// tokensV1 had all of a token by the hex of its secret's SHA-256.
var tokensV1 = Table[tokenV1]{"tokens"}

type tokenV1 struct {
	ID      simcloud.ID   `json:"id"`
	Name    string        `json:"name"`
	Project simcloud.ID   `json:"project"`
	Role    simcloud.Role `json:"role"`
	Created time.Time     `json:"created"`
}

// tokensToVersion2 parts tokens from their secrets.
func tokensToVersion2(tx *Tx, _ time.Time) (err error) {
	for key, old := range tokensV1.All(tx, &err) {
		hash, err := hex.DecodeString(key)
		if err != nil || len(hash) < secretKeyBytes {
			return fmt.Errorf("token %s has the hash %q", old.ID, key)
		}
		token := simcloud.Token{
			Meta: simcloud.Meta{ID: old.ID, Name: old.Name, Project: old.Project},
			Role: old.Role, State: simcloud.TokenActive,
		}
		if err := Tokens.InsertQuietly(tx, old.Created, &token); err != nil {
			return err
		}
		if err := AddSecret(tx, SecretRecord{Hash: hash, Token: old.ID}); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	return tx.bolt.DeleteBucket([]byte(tokensV1.name))
}

// answersToVersion2 lets the answers grow old from now on.
func answersToVersion2(tx *Tx, now time.Time) (err error) {
	aged := map[string]AnswerRecord{}
	for key, answer := range Answers.All(tx, &err) {
		answer.Given = now
		aged[key] = answer
	}
	if err != nil {
		return err
	}
	for key, answer := range aged {
		if err := Answers.Put(tx, key, answer); err != nil {
			return err
		}
	}
	return nil
}

// poolsToVersion2 makes the pools that the first release had in its program.
func poolsToVersion2(tx *Tx, now time.Time) error {
	if _, begun, err := Seed.Get(tx); err != nil || !begun {
		return err // the file is unused: it gets the pools of a new cloud
	}
	for _, pool := range []simcloud.FloatingIPPool{
		{Meta: simcloud.Meta{ID: "public", Name: "public"}, CIDR: "127.77.0.0/16"},
		{Meta: simcloud.Meta{ID: "public-v6", Name: "public-v6"}, CIDR: "fd77::/64"},
	} {
		if err := FloatingIPPools.Insert(tx, now, &pool); err != nil {
			return err
		}
	}
	return nil
}
