package kubeapi

import (
	"context"
	"fmt"
	"net/netip"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/e2e/simulated/kubeapi/store"
)

// state is what one server has, and its requests carry in their contexts: the handlers are those of all servers of the process.
type state struct {
	db            *store.DB
	serviceRanges []netip.Prefix
	// allocating is held from the look at the addresses and ports that are taken until a Service is written.
	allocating sync.Mutex
	next       cursor // guarded by allocating

	mu     sync.Mutex // guards what follows
	uids   uint64
	seed   uint64
	tokens map[string]identity
	record []Request
	caches map[string]*store.Cache // by the name of the user
}

type stateKey struct{}

func withState(ctx context.Context, s *state) context.Context {
	return store.WithDB(context.WithValue(ctx, stateKey{}, s), s.db)
}

func stateOf(ctx context.Context) *state { return ctx.Value(stateKey{}).(*state) }

// nextUID is another one each time. They follow from the seed, so that what is named after them is the same again.
func (s *state) nextUID() types.UID {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uids++
	return types.UID(fmt.Sprintf("%08x-%04x-4000-8000-%012x", uint32(s.seed>>16), uint16(s.seed), s.uids)) //nolint:gosec // cut on purpose
}
