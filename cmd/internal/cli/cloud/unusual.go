package cloud

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// Unusual is what makes a cloud behave otherwise than a new one: it explains what looks wrong in a cluster.
type Unusual struct {
	ZonesDown     []simcloud.ID `json:"zonesDown,omitempty"`
	ZonesDegraded []simcloud.ID `json:"zonesDegraded,omitempty"`
	// FaultsActive are the rules that fire now, by their names or else their ids.
	FaultsActive []string `json:"faultsActive,omitempty"`
	// StaleLists is how old what lists show is.
	StaleLists simcloud.Duration    `json:"staleLists,omitempty"`
	Clock      simcloud.ClockStatus `json:"clock"`
}

// ReadUnusual asks a cloud what is unusual about it.
func ReadUnusual(ctx context.Context, c *client.Client) (u Unusual, err error) {
	if u.Clock, err = c.GetClock(ctx); err != nil {
		return Unusual{}, err
	}
	zones, err := simcloud.ListAll(ctx, c.ListZones, simcloud.ListOptions{})
	if err != nil {
		return Unusual{}, err
	}
	for _, zone := range zones {
		switch zone.State {
		case simcloud.ZoneDown:
			u.ZonesDown = append(u.ZonesDown, zone.ID)
		case simcloud.ZoneDegraded:
			u.ZonesDegraded = append(u.ZonesDegraded, zone.ID)
		case simcloud.ZoneAvailable:
		}
	}
	rules, err := c.ListFaults(ctx)
	if err != nil {
		return Unusual{}, err
	}
	for _, rule := range rules {
		if faultState(rule, u.Clock.Now) == faultActive {
			u.FaultsActive = append(u.FaultsActive, cmp.Or(rule.Name, string(rule.ID)))
		}
	}
	config, err := c.GetConfig(ctx)
	u.StaleLists = config.Consistency.StaleLists
	return u, err
}

// Texts says what is unusual, each in a few words; there are none for a cloud that behaves as a new one.
func (u Unusual) Texts() (texts []string) {
	count := func(n int, one, many, state string) {
		switch {
		case n == 1:
			texts = append(texts, "1 "+one+" "+state)
		case n > 1:
			texts = append(texts, fmt.Sprintf("%d %s %s", n, many, state))
		}
	}
	count(len(u.ZonesDown), "zone", "zones", "down")
	count(len(u.ZonesDegraded), "zone", "zones", "degraded")
	count(len(u.FaultsActive), "fault", "faults", "active")
	if u.StaleLists > 0 {
		texts = append(texts, "lists "+u.StaleLists.String()+" old")
	}
	offset := offsetOf(u.Clock)
	switch {
	case u.Clock.Mode != simcloud.ClockReal:
		texts = append(texts, "clock "+clockMode(u.Clock.ClockSpec))
	case offset > 0:
		texts = append(texts, "clock "+offset.String()+" ahead")
	case offset < 0:
		texts = append(texts, "clock "+time.Duration(-offset).String()+" behind")
	}
	return texts
}
