package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// envFlips says how many bits TestFlips flips: a number, or "all".
const envFlips = "FLIPS"

const (
	fewFlips     = 200
	flipsPerLine = 20_000          // a line of progress for so many
	flipsEvents  = 6               // which the file keeps
	flipsHang    = 2 * time.Minute // after which a file that is opened hangs
	flipsSecret  = "a-secret-0123456789-0123456789"
)

// TestFlips flips the bits of a data file one at a time, and opens it: it is
// refused with an error, or all of it is correct, before and after writes. What
// is refused is not right for the check of a file either.
func TestFlips(t *testing.T) {
	t.Parallel()
	good := flipsFile(t)
	bits := bitsInUse(t, good)
	want := tellAll(t.Context(), t.TempDir(), good)
	if want.err != nil {
		t.Fatal(want.err)
	}
	flips := flipCount(t, len(bits))
	stride := len(bits) / flips
	var next, refused, right atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		dir := t.TempDir()
		workers.Go(func() {
			for n := int(next.Add(1) - 1); n < flips; n = int(next.Add(1) - 1) {
				if n > 0 && n%flipsPerLine == 0 {
					t.Logf("%d of %d bits flipped: %d refused, %d right", n, flips, refused.Load(), right.Load())
				}
				at := bits[n*stride+n%stride] // so that it is another bit of a byte each time
				switch got := tellFlipped(t.Context(), dir, good, at); {
				case errors.Is(got.err, store.ErrDamaged), errors.Is(got.err, store.ErrNewer):
					if refused.Add(1); got.checked == nil {
						t.Errorf("byte %d (page %d, %d), bit %d: the check finds nothing wrong, opening says: %v",
							at/8, at/8/flipsPage, at/8%flipsPage, at%8, got.err)
					}
				case got.err != nil || got.told != want.told:
					t.Errorf("byte %d (page %d, %d), bit %d: neither refused nor right: %v", at/8, at/8/flipsPage, at/8%flipsPage, at%8, got.err)
				default:
					right.Add(1)
				}
			}
		})
	}
	workers.Wait()
	t.Logf("%d of %d bits flipped: %d refused, %d right", flips, len(bits), refused.Load(), right.Load())
	if refused.Load() < int64(flips)/3 {
		t.Error("too few are refused: what is flipped is not in use")
	}
}

func flipCount(t *testing.T, all int) int {
	t.Helper()
	switch value := os.Getenv(envFlips); value {
	case "":
		return fewFlips
	case "all":
		return all
	default:
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			t.Fatalf("%s=%q: it must be a number or all", envFlips, value)
		}
		return min(n, all)
	}
}

// flipsFile returns a small data file with something of most kinds.
func flipsFile(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cloud.db")
	db := must[*store.DB](t)(store.Open(path, store.Options{NoSync: true, EventLimit: flipsEvents}))
	cloud := must[*core.Cloud](t)(core.Open(core.Config{DB: db, Clock: newFakeClock(), Seed: 3}))
	must[simcloud.ClockStatus](t)(cloud.SetClock(t.Context(), simcloud.ClockSpec{Mode: simcloud.ClockManual}))
	must[simcloud.ID](t)(cloud.AddToken(simcloud.WithCaller(t.Context(), simcloud.Caller{Project: "default", Role: simcloud.RoleAdmin}),
		"mine", simcloud.RoleAdmin, flipsSecret))
	create(t, cloud, "kept", simcloud.IdempotencyKey("kept"))
	p := &player{T: t, Cloud: cloud, dice: rand.New(rand.NewPCG(7, 7))}
	for range 36 {
		calls := p.calls()
		_, _ = calls[p.dice.IntN(len(calls))](p.Context()) // some are refused
	}
	must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{
		Name: "lb", Targets: []simcloud.TargetSpec{{Instance: "i-1"}},
	}))
	must[simcloud.Result[simcloud.Volume]](t)(cloud.CreateVolume(t.Context(), simcloud.VolumeSpec{Name: "volume", SizeGiB: 1}))
	must[simcloud.Config](t)(cloud.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Progression: &minute}))
	create(t, cloud, "under-way")
	if err := cloud.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := cloud.Close(); err != nil {
		t.Fatal(err)
	}
	return packed(t, path)
}

// flipsPage is the smallest page that bbolt has. The file has some 25 buckets, and with pages of 4 KiB
// most of its bits are of no use to any of them: all are flipped then, and few prove anything.
const flipsPage = 1024

// packed returns a data file with its pages made small.
func packed(t *testing.T, path string) []byte {
	t.Helper()
	small := filepath.Join(t.TempDir(), "small.db")
	from := must[*bolt.DB](t)(bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true}))
	to := must[*bolt.DB](t)(bolt.Open(small, 0o600, &bolt.Options{PageSize: flipsPage}))
	if err := errors.Join(bolt.Compact(to, from, 0), to.Close(), from.Close()); err != nil {
		t.Fatal(err)
	}
	return must[[]byte](t)(os.ReadFile(small))
}

// bitsInUse returns the bits of all pages that are not free.
func bitsInUse(t *testing.T, file []byte) []int {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cloud.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	db := must[*bolt.DB](t)(bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true, PreLoadFreelist: true}))
	defer func() { _ = db.Close() }() // it was read alone
	var bits []int
	if err := db.View(func(tx *bolt.Tx) error {
		for id := 0; ; {
			info, err := tx.Page(id)
			if err != nil || info == nil {
				return err
			}
			size := db.Info().PageSize
			end := id + 1
			if info.Type != "free" {
				end += info.OverflowCount
				for bit := id * size * 8; bit < end*size*8; bit++ {
					bits = append(bits, bit)
				}
			}
			id = end
		}
	}); err != nil {
		t.Fatal(err)
	}
	return bits
}

// telling is all that a cloud tells, or why it does not.
type telling struct {
	told string
	err  error
	// checked is what the check of the file says; nil when nothing is wrong.
	checked error
}

// tellFlipped is tellAll of a file with one bit flipped. It ends the process
// when that takes for ever.
func tellFlipped(ctx context.Context, dir string, good []byte, bit int) (told telling) {
	hangs := time.AfterFunc(flipsHang, func() { panic(fmt.Sprintf("byte %d, bit %d: it hangs", bit/8, bit%8)) })
	defer hangs.Stop()
	defer func() {
		if p := recover(); p != nil {
			told.err = fmt.Errorf("panic: %v", p)
		}
	}()
	bad := bytes.Clone(good)
	bad[bit/8] ^= 1 << (bit % 8)
	checked, err := checkFlipped(ctx, dir, bad)
	if err != nil {
		return telling{err: err}
	}
	told = tellAll(ctx, dir, bad)
	told.checked = checked
	return told
}

// checkFlipped returns what the check of a file says. It fails when the file
// does not stay as it is.
func checkFlipped(ctx context.Context, dir string, file []byte) (problem, err error) {
	path := filepath.Join(dir, "checked.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		return nil, err
	}
	problems, unusable := core.CheckFile(ctx, path)
	after, err := os.ReadFile(path)
	if err == nil && !bytes.Equal(file, after) {
		err = errors.New("the check has changed the file")
	}
	return errors.Join(append(problems, unusable)...), err
}

// tellAll opens a file and returns what it has, before and after some writes
// and once it is opened again.
func tellAll(ctx context.Context, dir string, file []byte) (told telling) {
	path := filepath.Join(dir, "cloud.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		return telling{err: err}
	}
	for round := range 2 {
		text, err := tellOnce(ctx, path, round)
		if told.told += text; err != nil {
			if round > 0 {
				err = errors.New("once it was written: " + err.Error())
			}
			return telling{err: err}
		}
	}
	return told
}

func tellOnce(ctx context.Context, path string, round int) (text string, err error) {
	db, err := store.Open(path, store.Options{NoSync: true, EventLimit: flipsEvents})
	if err != nil {
		return "", err
	}
	cloud, err := core.Open(core.Config{DB: db, Clock: newFakeClock(), Seed: 3})
	if err != nil {
		return "", errors.New("it opens, and then: " + err.Error())
	}
	defer func() {
		if closed := cloud.Close(); closed != nil && err == nil {
			err = errors.New("close: " + closed.Error())
		}
	}()
	var all []any
	note := func(v any, failed error) {
		if all = append(all, v); failed != nil && err == nil {
			err = errors.New("it opens, and then: " + failed.Error())
		}
	}
	look := func() {
		state, err := cloud.GetState(ctx)
		note(state, err)
		note(cloud.GetConfig(ctx))
		note(nil, db.View(func(tx *store.Tx) error {
			events, err := tx.Events(state.Revision-flipsEvents+1, flipsEvents)
			note(events, err)
			return nil
		}))
	}
	look()
	caller, failed := cloud.Authenticate(ctx, flipsSecret)
	note(caller.Token, failed)
	note(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "kept"}, simcloud.IdempotencyKey("kept")))
	made, failed := cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: fmt.Sprint("new-", round), Labels: map[string]string{"a": "b"}})
	note(made, failed)
	note(cloud.AdvanceClock(ctx, simcloud.Duration(time.Hour)))
	note(cloud.DeleteInstance(ctx, made.Resource.ID))
	look()
	note(nil, cloud.Check(ctx))
	raw, failed := json.Marshal(all)
	note(nil, failed)
	return string(raw), err
}
