package hcloud

import (
	"encoding/json"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// The prefixes of the cloud's ids, whose rest is the number of the resource.
const (
	instancePrefix     = "i-"
	loadBalancerPrefix = "lb-"
	networkPrefix      = "net-"
	operationPrefix    = "op-"
	documentPrefix     = "doc-"
	floatingIPPrefix   = "fip-"
)

// numberOf is the id of a resource as a number: 7 for "i-7", and for "7".
func numberOf(id simcloud.ID) int64 {
	_, digits, found := strings.Cut(string(id), "-")
	if !found {
		digits = string(id)
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return numberOfName(string(id))
	}
	return n
}

func idOf(prefix string, number int64) simcloud.ID {
	return simcloud.ID(prefix + strconv.FormatInt(number, 10))
}

// knownNumbers are the numbers that things with these names have at Hetzner.
var knownNumbers = map[string]int64{
	"fsn1": 1, "nbg1": 2, "hel1": 3, "ash": 4, "hil": 5, "sin": 6,
	"lb11": 1, "lb21": 2, "lb31": 3,
}

// numberOfName is the id of what the cloud knows by a name alone, such as a zone. It depends
// on nothing but the name, so it is the same after a reset, and is below 2^53, which a
// number in JSON can be.
func numberOfName(name string) int64 {
	if n, ok := knownNumbers[name]; ok {
		return n
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // never fails
	const bits = 50
	return 1<<bits | int64(h.Sum64()&(1<<bits-1)) //nolint:gosec // 50 bits fit
}

// reference names something by its number or by its name, as a request may.
type reference struct {
	number int64
	name   string
}

// UnmarshalJSON reads a number or a text. A text of digits is a number.
func (r *reference) UnmarshalJSON(raw []byte) error {
	var n int64
	if json.Unmarshal(raw, &n) == nil {
		*r = reference{number: n}
		return nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		*r = reference{number: n}
		return nil
	}
	*r = reference{name: text}
	return nil
}

// is reports whether the reference is to what has that name.
func (r reference) is(name string) bool {
	return r.name != "" && r.name == name || r.number != 0 && r.number == numberOfName(name)
}

func (r reference) String() string {
	if r.name != "" {
		return strconv.Quote(r.name)
	}
	return strconv.FormatInt(r.number, 10)
}
