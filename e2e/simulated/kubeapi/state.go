package kubeapi

import (
	"context"
	"fmt"
	"math/rand/v2"
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

// nextUID is another one each time. They follow from the seed, so that what is named after them is the same again. They differ
// everywhere, as random ones do: the names that a cloud allows may have room for the first digits alone.
func (s *state) nextUID() types.UID {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uids++
	dice := rand.New(rand.NewPCG(s.seed, s.uids)) //nolint:gosec // the same each time on purpose
	high, low := dice.Uint64(), dice.Uint64()
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", high>>32, high>>16&0xffff, high&0xfff, low>>48&0xfff, low&0xffff_ffff_ffff))
}
