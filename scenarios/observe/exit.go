package observe

import (
	"time"
)

// Exit is an unexpected end of the CCM, or a panic.
type Exit struct {
	Time   time.Time
	Reason string
	Log    []string // its last lines
}

// Secret is something that a CCM was given and must not disclose.
type Secret struct {
	// What says what it is: "the token of the cloud".
	What  string
	Value string
}
