package store

import (
	"encoding/json"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// What a cloud remembers besides its resources.
var (
	// Seed is what all chance of the cloud comes from.
	Seed = Value[uint64]{"seed"}
	// Time is how the cloud's clock runs.
	Time = Value[TimeRecord]{"time"}
	// Config is how the cloud behaves.
	Config = Value[simcloud.Config]{"config"}

	// Secrets are those of the tokens, by the first half of their hashes.
	Secrets = Table[SecretRecord]{"secrets"}
	// TokenSecrets are the keys of Secrets that a token has, by its id.
	TokenSecrets = Table[[]string]{"secrets.token"}
	// usageTable is what projects have of what quotas count.
	usageTable = Table[map[simcloud.QuotaResource]int]{"usage"}
	// Addresses are all that were ever handed out, by Key(pool, address).
	Addresses = Table[AddressRecord]{"addresses"}
	// Freed are the addresses that can be handed out again, by Key(pool) and the order of their release.
	Freed = Table[string]{"freed"}
	// Due are the changes under way, by Ordered(ready time) and Ordered(operation);
	// those that wait for reads are behind all times.
	Due = Table[DueRecord]{"due"}
	// Finished are the ids of the finished operations that are kept, by
	// Key(project) and the order in which those of the project finished.
	Finished = Table[simcloud.ID]{"finished"}
	// Answers are those to calls with an idempotency key, by Key(project, key).
	Answers = Table[AnswerRecord]{"answers"}
	// AnswerOrder are the keys of Answers, by Key(project) and the order in
	// which the answers of the project were given.
	AnswerOrder = Table[[]byte]{"answers.order"}
)

// The counters of a cloud, besides those of its buckets.
var (
	// TokenCounter is that of Tokens, whose ids never begin again.
	TokenCounter = Counter{string(simcloud.KindToken)}
	RouteCounter = Counter{"route"}
	// RuleCounter is that of the rules of security groups.
	RuleCounter  = Counter{"security_group_rule"}
	FreedCounter = Counter{"freed"}
	ZoneTurn     = Counter{"zone-turn"}
)

// PoolCursor counts the addresses of a pool that were handed out for the first time.
func PoolCursor(pool string) Counter { return Counter{poolPrefix + pool} }

const poolPrefix = "pool/"

// TimeRecord says what time the cloud had at which time of the machine, and
// how it has gone on since.
type TimeRecord struct {
	simcloud.ClockSpec
	Cloud   time.Time `json:"cloud"`
	Machine time.Time `json:"machine"`
}

// SecretRecord is a secret that cannot be read: its hash, and whose it is.
type SecretRecord struct {
	// Hash is the SHA-256 of the secret.
	Hash  []byte      `json:"hash"`
	Token simcloud.ID `json:"token"`
	// Until is when the secret is no longer good though its token may be; zero: never.
	Until time.Time `json:"until,omitzero"`
}

// AddressRecord is the state of one address: it has an owner, or waits in Freed.
type AddressRecord struct {
	Owner *Ref `json:"owner,omitempty"`
	// Freed is the key of Freed, when there is no owner.
	Freed []byte `json:"freed,omitempty"`
}

// DueRecord is what happens when an operation is ready.
type DueRecord struct {
	Operation simcloud.ID `json:"operation"`
	Ready     time.Time   `json:"ready,omitzero"`
	// Polls is how many reads it takes instead of a time.
	Polls   int      `json:"polls,omitempty"`
	Effects []Effect `json:"effects"`
	// Failure is why the operation fails then; empty when it does not.
	Failure string `json:"failure,omitempty"`
	// Code is the class of the failure.
	Code simcloud.Code `json:"code,omitempty"`
}

// Effect brings a resource to a state; "" means that it is gone.
type Effect struct {
	Ref
	State string `json:"state"`
	// LoadBalancer and RouteTable are what a change is taken back to, when it fails.
	LoadBalancer *simcloud.LoadBalancer `json:"loadBalancer,omitempty"`
	RouteTable   *simcloud.RouteTable   `json:"routeTable,omitempty"`
}

// AnswerRecord is the answer to a call with an idempotency key.
type AnswerRecord struct {
	// Call is a hash of the operation and its arguments.
	Call string `json:"call"`
	// Resource is what the answer is about: with it the answer is forgotten,
	// unless the answer is about its deletion.
	Resource Ref             `json:"resource"`
	Deletion bool            `json:"deletion,omitempty"`
	Answer   json.RawMessage `json:"answer"`
	// Order is where AnswerOrder has the key, among those of the project.
	Order uint64 `json:"order"`
	// Given is when the answer was given, by the cloud's clock.
	Given time.Time `json:"given"`
}

// table is a Table without its type.
type table interface {
	bucketName() string
	Clear(tx *Tx) error
	verify(tx *Tx) error
}

func (t Table[T]) bucketName() string { return t.name }

// single is a Value without its type.
type single interface {
	verify(tx *Tx) error
}

// singles are the Values whose types are checked when a file is opened. The
// version is not among them: it is read before all else.
func singles() []single { return []single{Seed, Time, Config} }

func tables() []table {
	return append(transient(), Secrets, TokenSecrets, usageTable)
}

// transient are the tables that a wipe empties.
func transient() []table {
	return []table{Addresses, Freed, Due, Finished, Answers, AnswerOrder}
}
