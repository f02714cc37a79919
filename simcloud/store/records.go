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

	// Tokens are kept by the hex of the SHA-256 of their secrets.
	Tokens = Table[TokenRecord]{"tokens"}
	// usageTable is what projects have of what quotas count.
	usageTable = Table[map[simcloud.QuotaResource]int]{"usage"}
	// Addresses are all that were ever handed out, by Key(pool, address).
	Addresses = Table[AddressRecord]{"addresses"}
	// Freed are the addresses that can be handed out again, by Key(pool) and the order of their release.
	Freed = Table[string]{"freed"}
	// Due are the changes under way, by Ordered(ready time) and Ordered(operation);
	// those that wait for reads are behind all times.
	Due = Table[DueRecord]{"due"}
	// Finished are the ids of the finished operations that are kept, by Ordered(finish).
	Finished = Table[simcloud.ID]{"finished"}
	// Answers are those to calls with an idempotency key, by Key(project, key).
	Answers = Table[AnswerRecord]{"answers"}
	// AnswerOrder are the keys of Answers, oldest first.
	AnswerOrder = Table[[]byte]{"answers.order"}
)

// The counters of a cloud, besides those of its buckets.
var (
	TokenCounter    = Counter{"token"}
	RouteCounter    = Counter{"route"}
	FreedCounter    = Counter{"freed"}
	FinishedCounter = Counter{"finished"}
	AnswerCounter   = Counter{"answer"}
	ZoneTurn        = Counter{"zone-turn"}
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

// TokenRecord is a token without its secret.
type TokenRecord struct {
	ID      simcloud.ID   `json:"id"`
	Name    string        `json:"name"`
	Project simcloud.ID   `json:"project"`
	Role    simcloud.Role `json:"role"`
	Created time.Time     `json:"created"`
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
}

// Effect brings a resource to a state; "" means that it is gone.
type Effect struct {
	Ref
	State string `json:"state"`
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
	// Order is where AnswerOrder has the key.
	Order uint64 `json:"order"`
}

// table is a Table without its type.
type table interface {
	bucketName() string
	Clear(tx *Tx) error
}

func (t Table[T]) bucketName() string { return t.name }

func tables() []table {
	return append(transient(), Tokens, usageTable)
}

// transient are the tables that a wipe empties.
func transient() []table {
	return []table{Addresses, Freed, Due, Finished, Answers, AnswerOrder}
}
