package observe

import "github.com/simcloud-dev/simcloud/simcloud"

// The fields of the values of a snapshot that are made here, from no type of the cloud or of the cluster: expressions
// are checked against them.

// Call is a call of the CCM, as [CallValue] makes it.
type Call struct {
	Seq              int64         `json:"seq"`
	Time             string        `json:"time"` // the cloud's, which a step may have advanced
	At               float64       `json:"at"`   // in seconds since the scenario began
	Operation        string        `json:"operation"`
	Name             string        `json:"name"`
	DialectOperation string        `json:"dialectOperation"`
	OperationID      string        `json:"operationID"`
	RequestID        string        `json:"requestID"`
	Write            bool          `json:"write"`
	Resource         string        `json:"resource"`
	ShownID          string        `json:"shownID"`
	Status           int64         `json:"status"`
	Code             simcloud.Code `json:"code"`
	Message          string        `json:"message"`
	UserAgent        string        `json:"userAgent"`
	Duration         string        `json:"duration"`
	Fault            string        `json:"fault"`
	Effect           string        `json:"effect"`
	Committed        bool          `json:"committed"`
}

// FaultCount counts the calls that a fault rule has met, as [Store.SetFaults] does: all that it is for, and those that it has changed.
type FaultCount struct {
	Calls int64 `json:"calls"`
	Hits  int64 `json:"hits"`
}

// CCM is how the CCM under test is, as [Store.SetCCM] is told.
type CCM struct {
	Running  bool   `json:"running"`
	Exits    int64  `json:"exits"` // unexpected ones
	Restarts int64  `json:"restarts"`
	Killed   bool   `json:"killed"` // whether killAt has fired
	TokenID  string `json:"tokenID"`
	Standby  struct {
		Running bool `json:"running"`
	} `json:"standby"`
}

// TrafficCount counts the requests of a traffic.
type TrafficCount struct {
	Sent       int64    `json:"sent"`
	OK         int64    `json:"ok"`
	Failed     int64    `json:"failed"`
	Errors     []string `json:"errors"`
	LongestGap int64    `json:"longestGap"` // in milliseconds
}
