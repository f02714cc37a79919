package step

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// armFault adds a rule to the cloud. Its counts begin at 0, also when another had its name.
func (st *Stage) armFault(ctx context.Context, rule map[string]any) error {
	answer, err := st.Cloud.Call(ctx, "AddFault", rule)
	if err != nil {
		return err
	}
	var added fault.Rule
	if err := json.Unmarshal(answer, &added); err != nil {
		return fmt.Errorf("the answer of AddFault: %w", err)
	}
	st.Store.SetFaults(func(armed map[string]simcloud.ID) { armed[added.Name] = added.ID }, added)
	return nil
}

// syncFaults reads how often the rules were asked and have fired.
func (st *Stage) syncFaults(ctx context.Context) error {
	if len(st.Store.ArmedFaults()) == 0 {
		return nil
	}
	answer, err := st.Cloud.Call(ctx, "ListFaults", nil)
	var page simcloud.Page[fault.Rule]
	if err == nil {
		err = json.Unmarshal(answer, &page)
	}
	if err != nil {
		return fmt.Errorf("read the fault rules: %w", err)
	}
	st.Store.SetFaults(nil, page.Items...)
	return nil
}

// clearFaults ends rules, and those that are over already are as good. What they have counted stays to be seen.
func (st *Stage) clearFaults(ctx context.Context, names ...string) error {
	if err := st.syncFaults(ctx); err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		id, armed := st.Store.ArmedFaults()[name]
		if !armed {
			continue
		}
		if _, err := st.Cloud.Call(ctx, "DeleteFault", map[string]any{"id": string(id)}); err != nil && !errors.Is(err, simcloud.NotFound) {
			errs = append(errs, fmt.Errorf("clear the fault %s: %w", name, err))
			continue
		}
		st.Store.SetFaults(func(armed map[string]simcloud.ID) { delete(armed, name) })
	}
	return errors.Join(errs...)
}

// endAllFaults ends all rules, those too that no fault step has added: a death at a call to come is one.
func (st *Stage) endAllFaults(ctx context.Context) error {
	if err := st.syncFaults(ctx); err != nil {
		return err
	}
	if _, err := st.Cloud.Call(ctx, "ClearFaults", nil); err != nil {
		return fmt.Errorf("clear the faults: %w", err)
	}
	st.Store.SetFaults(func(armed map[string]simcloud.ID) { clear(armed) })
	return nil
}

// clearAllFaults ends the scenario's rules that are there.
func (st *Stage) clearAllFaults(ctx context.Context) error {
	return st.clearFaults(ctx, slices.Sorted(maps.Keys(st.Store.ArmedFaults()))...)
}
