package core

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// defaultIdempotencyTTL is how long a new cloud keeps the answers to calls
// with an idempotency key.
const defaultIdempotencyTTL = simcloud.Duration(24 * time.Hour)

// configure brings the configuration of the store into force. One that the
// store does not have yet is made of defaults; a given progression comes
// before that of the store, and stays.
func (c *Cloud) configure(given simcloud.Progression) error {
	var config simcloud.Config
	var known bool
	if err := c.db.View(func(tx *store.Tx) (err error) {
		config, known, err = store.Config.Get(tx)
		return err
	}); err != nil {
		return err
	}
	was := config
	if config.IdempotencyTTL == 0 {
		config.IdempotencyTTL = defaultIdempotencyTTL
	}
	if given.Mode != "" {
		config.Progression = given
	}
	config = plainConfig(config)
	if known && same(was, config) {
		c.config.Store(&config)
		return nil
	}
	return c.db.UpdateAlone(func(tx *store.Tx) error { return c.keepConfig(tx, config) })
}

// keepConfig makes a configuration the one in force, once it is on disk.
func (c *Cloud) keepConfig(tx *store.Tx, config simcloud.Config) error {
	tx.OnCommit(func() { c.config.Store(&config) })
	return store.Config.Put(tx, config)
}

// plainConfig returns a copy as it comes out of the store, with nothing left to be guessed.
func plainConfig(config simcloud.Config) simcloud.Config {
	config.Progression = plainProgression(config.Progression)
	config.Progressions = maps.Clone(config.Progressions)
	for kind, p := range config.Progressions {
		config.Progressions[kind] = plainProgression(p)
	}
	if len(config.Progressions) == 0 {
		config.Progressions = nil
	}
	config.DialectVariants = maps.Clone(config.DialectVariants)
	if len(config.DialectVariants) == 0 {
		config.DialectVariants = nil
	}
	config.Rates = append([]simcloud.Rate(nil), config.Rates...)
	config.LoadBalancerClasses = append([]simcloud.LoadBalancerClass(nil), config.LoadBalancerClasses...)
	config.UniqueNames = append([]simcloud.Kind(nil), config.UniqueNames...)
	config.ChangesWhileBusy = append([]simcloud.Kind(nil), config.ChangesWhileBusy...)
	config.RouteRules = append([]simcloud.RouteRule(nil), config.RouteRules...)
	return config
}

func plainProgression(p simcloud.Progression) simcloud.Progression {
	if p.Mode == "" {
		p.Mode = simcloud.ProgressionImmediate
	}
	return p
}

// GetConfig reads how the cloud behaves.
func (c *Cloud) GetConfig(ctx context.Context) (simcloud.Config, error) {
	if err := admit(ctx, request{admin: true}); err != nil {
		return simcloud.Config{}, err
	}
	return plainConfig(*c.config.Load()), nil
}

// Rates returns how often a token or a project may call. What it returns must not be changed.
func (c *Cloud) Rates() []simcloud.Rate { return slices.Clip(c.config.Load().Rates) }

// UpdateConfig changes how the cloud behaves from the next call on. What is
// under way goes on as it began.
func (c *Cloud) UpdateConfig(ctx context.Context, update simcloud.ConfigUpdate) (simcloud.Config, error) {
	var config simcloud.Config
	err := c.updateExclusive(ctx, request{verb: "UpdateConfig", admin: true, spec: update}, func(t *txn) error {
		config = plainConfig(changed(*t.cloud.config.Load(), update))
		return t.cloud.keepConfig(t.tx, config)
	})
	if err != nil {
		return simcloud.Config{}, err
	}
	return plainConfig(config), nil
}

func changed(config simcloud.Config, update simcloud.ConfigUpdate) simcloud.Config {
	set(&config.Progression, update.Progression)
	set(&config.Progressions, update.Progressions)
	set(&config.Consistency, update.Consistency)
	set(&config.Rates, update.Rates)
	set(&config.IdempotencyTTL, update.IdempotencyTTL)
	set(&config.MaxTargets, update.MaxTargets)
	set(&config.LoadBalancerClasses, update.LoadBalancerClasses)
	set(&config.UniqueNames, update.UniqueNames)
	set(&config.ChangesWhileBusy, update.ChangesWhileBusy)
	set(&config.KeepIDs, update.KeepIDs)
	set(&config.RouteRules, update.RouteRules)
	set(&config.MaxRoutes, update.MaxRoutes)
	set(&config.DialectVariants, update.DialectVariants)
	set(&config.Hostnames, update.Hostnames)
	set(&config.MaxSecurityGroupRules, update.MaxSecurityGroupRules)
	set(&config.DefaultSecurityGroups, update.DefaultSecurityGroups)
	return config
}

// changesWhileBusy reports whether changes of a kind are taken that an operation would lock.
func (t *txn) changesWhileBusy(kind simcloud.Kind) bool {
	return slices.Contains(t.cloud.config.Load().ChangesWhileBusy, kind)
}

// set replaces a value by one that was given.
func set[T any](value, given *T) {
	if given != nil {
		*value = *given
	}
}
