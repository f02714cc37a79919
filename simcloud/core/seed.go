package core

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// hash makes a number of words, the same at all times.
func hash(words ...string) uint64 {
	h := fnv.New64a()
	for _, word := range words {
		_, _ = h.Write([]byte(word + "\x00"))
	}
	return h.Sum64()
}

// numberOf returns the counter in an id such as "op-7".
func numberOf(id simcloud.ID) (uint64, bool) {
	_, digits, _ := strings.Cut(string(id), "-")
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil
}
