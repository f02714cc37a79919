package call

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestFinish: calls under way end, reads go on, and what would change the cloud does not begin.
func TestFinish(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &Gate{}
		slow := func() error { time.Sleep(3 * time.Second); return nil }
		go func() { _ = g.Around("CreateLoadBalancer", slow) }()
		go func() { _ = g.Around("ListInstances", func() error { time.Sleep(time.Hour); return nil }) }()
		synctest.Wait()

		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := g.Finish(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Finish = %v before the call ended", err)
		}
		began, returned := false, false
		go func() {
			err := g.Around("DeleteRoute", func() error { began = true; return nil })
			returned = errors.Is(err, context.Canceled)
		}()
		if err := g.Around("GetRouteTable", func() error { return nil }); err != nil {
			t.Errorf("a read after the end began: %v", err)
		}
		started := time.Now()
		if err := g.Finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(started); waited != 2*time.Second {
			t.Errorf("waited %s for a call that had 2s to go", waited)
		}
		if err := g.Finish(t.Context()); err != nil {
			t.Errorf("a second Finish: %v", err)
		}
		synctest.Wait()
		if returned {
			t.Error("a call returned after the gate was closed")
		}
		g.End()
		synctest.Wait()
		if began || !returned {
			t.Errorf("a call after the gate was closed: began %t; returned at the end of the process %t", began, returned)
		}
		time.Sleep(time.Hour)
	})
}
