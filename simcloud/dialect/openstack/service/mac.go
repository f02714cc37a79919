package service

import (
	"fmt"
	"hash/fnv"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// MAC is the address of the network cards of something, which depends on its id alone.
func MAC(id simcloud.ID) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	n := h.Sum32()
	return fmt.Sprintf("fa:16:%02x:%02x:%02x:%02x", byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}
