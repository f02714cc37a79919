package sim

import (
	"context"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/hcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// dialects are the wire formats that every cloud serves besides its own, by the beginnings of their paths. The secret is the
// admin's; empty when the cloud does not know it.
func dialects(api simcloud.API, control simcloud.Control, secret string) map[string]edge.Codec {
	return map[string]edge.Codec{
		// One line for each dialect.
		"/aws/":       aws.Codec{Cloud: api, Lifetime: lifetimeOf(api, control), Config: configOf(control)},
		"/hcloud/":    hcloud.Codec{Cloud: api, Config: configOf(control)},
		"/openstack/": openstack.Codec{Cloud: api, Config: configOf(control), Now: nowOf(control), SessionKey: openstack.SessionKey(secret), TokenEnd: tokenEndOf(api)},
	}
}

// configOf reads how a cloud behaves. Each user of a cloud may know what a dialect shows of
// it, such as the classes that it offers; the whole is for admins alone.
func configOf(control simcloud.Control) func(ctx context.Context) (simcloud.Config, error) {
	return func(ctx context.Context) (simcloud.Config, error) {
		return control.GetConfig(simcloud.WithCaller(ctx, simcloud.Caller{Role: simcloud.RoleAdmin}))
	}
}

// lifetimeOf tells until when tokens are good, to whoever has them. The cloud knows that by its own clock.
func lifetimeOf(api simcloud.API, control simcloud.Control) func(ctx context.Context, token simcloud.ID) (time.Time, error) {
	return func(ctx context.Context, id simcloud.ID) (end time.Time, err error) {
		ctx = simcloud.WithCaller(ctx, simcloud.Caller{Role: simcloud.RoleAdmin})
		token, err := api.GetToken(ctx, id)
		if err != nil || token.Expires.IsZero() {
			return end, err
		}
		clock, err := control.GetClock(ctx)
		left := token.Expires.Sub(clock.Now)
		if clock.Mode == simcloud.ClockScaled {
			left = time.Duration(float64(left) / clock.Factor)
		}
		return time.Now().Add(left), err
	}
}

// tokenEndOf tells until when tokens are good, by the cloud's clock, to whoever has them.
func tokenEndOf(api simcloud.API) func(ctx context.Context, token simcloud.ID) (time.Time, error) {
	return func(ctx context.Context, id simcloud.ID) (time.Time, error) {
		token, err := api.GetToken(simcloud.WithCaller(ctx, simcloud.Caller{Role: simcloud.RoleAdmin}), id)
		return token.Expires, err
	}
}

// nowOf is the time of the cloud, to whoever asks; the real one while the cloud cannot tell.
func nowOf(control simcloud.Control) func() time.Time {
	return func() time.Time {
		clock, err := control.GetClock(simcloud.WithCaller(context.Background(), simcloud.Caller{Role: simcloud.RoleAdmin}))
		if err != nil {
			return time.Now()
		}
		return clock.Now
	}
}

// titles are those of the APIs that the dialects speak, by the paths of their endpoints.
func titles() map[string]string {
	all := map[string]string{}
	for _, d := range Dialects() {
		all[d.Path] = d.Title
	}
	return all
}

// Dialects describes the wire formats that every cloud serves besides its own.
func Dialects() []dialect.Dialect {
	return []dialect.Dialect{
		// One more line for each dialect that describes itself.
		aws.Describe(), hcloud.Describe(), openstack.Describe(),
	}
}
