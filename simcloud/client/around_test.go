package client_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// oneZone is a cloud with one zone and one event.
type oneZone struct{ simcloud.API }

func (oneZone) GetZone(context.Context, simcloud.ID) (simcloud.Zone, error) {
	return simcloud.Zone{Meta: simcloud.Meta{ID: "zone-a"}}, nil
}

func (oneZone) DeleteZone(_ context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	return simcloud.Operation{}, simcloud.Errorf(simcloud.InUse, string(id), "%s", simcloud.Options(opts).IdempotencyKey)
}

func (oneZone) WatchEvents(context.Context, uint64) iter.Seq2[simcloud.Event, error] {
	return func(yield func(simcloud.Event, error) bool) { yield(simcloud.Event{Revision: 7}, nil) }
}

func TestAroundSeesEachCallAndItsError(t *testing.T) {
	t.Parallel()
	var seen []string
	api := client.Around(oneZone{}, func(operation string, next func() error) error {
		err := next()
		if err != nil {
			operation += ": " + err.Error()
		}
		seen = append(seen, operation)
		return err
	})
	if zone, err := api.GetZone(t.Context(), "zone-a"); err != nil || zone.ID != "zone-a" {
		t.Errorf("got %v, %v", zone, err)
	}
	if _, err := api.DeleteZone(t.Context(), "zone-a", simcloud.IdempotencyKey("k")); !errors.Is(err, simcloud.InUse) {
		t.Errorf("got %v, want in_use", err)
	}
	for event, err := range api.WatchEvents(t.Context(), 0) {
		if err != nil || event.Revision != 7 {
			t.Errorf("got %v, %v", event, err)
		}
	}
	if want := []string{"GetZone", "DeleteZone: in_use (zone-a): k"}; !slices.Equal(seen, want) {
		t.Errorf("the hook saw %q, want %q", seen, want)
	}
}

func TestAroundReplacesTheAnswer(t *testing.T) {
	t.Parallel()
	api := client.Around(oneZone{}, func(_ string, next func() error) error {
		if err := next(); err != nil {
			return err
		}
		return simcloud.Errorf(simcloud.Unavailable, "", "the answer is lost")
	})
	if zone, err := api.GetZone(t.Context(), "zone-a"); !errors.Is(err, simcloud.Unavailable) || zone.ID != "" {
		t.Errorf("got %v, %v, want no zone and unavailable", zone, err)
	}
}
