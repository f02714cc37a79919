package service

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Number is the counter in an id of the cloud: 7 for "i-7". An id without one has the number 0.
func Number(id simcloud.ID) uint64 {
	_, digits, _ := strings.Cut(string(id), "-")
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Numbered returns an id of AWS that has the number of one of the cloud: "rtb-3" for "rt-3".
func Numbered(prefix string, id simcloud.ID) string {
	return prefix + strconv.FormatUint(Number(id), 10)
}

// FromNumber returns the id of the cloud that an id of AWS has the number of: "rt-3" for "rtb-3". It is
// empty for an id of another kind.
func FromNumber(prefix, text, cloudPrefix string) simcloud.ID {
	digits, ok := strings.CutPrefix(text, prefix)
	n, err := strconv.ParseUint(digits, 10, 64)
	if !ok || err != nil || strconv.FormatUint(n, 10) != digits {
		return ""
	}
	return simcloud.ID(cloudPrefix + digits)
}

// Account is the number of the account that a project is: twelve digits, the same at all times.
func Account(project simcloud.ID) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(project)) // never fails
	const least, span = 100_000_000_000, 900_000_000_000
	return strconv.FormatUint(least+h.Sum64()%span, 10)
}
