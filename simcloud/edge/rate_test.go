package edge_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/journal"
)

// hourly is a format with headers of its own for rates, whose end is a UNIX time.
type hourly struct{ foreign }

func (hourly) WriteRate(header http.Header, a edge.Allowance) {
	header.Set("X-Left", strconv.Itoa(a.Remaining)+" of "+strconv.Itoa(a.Limit)+" "+a.Class)
	header.Set("X-Full", strconv.FormatInt(a.FullAt.Unix(), 10))
}

// TestRateWriter: a format writes its own headers, on refused calls too, and no others.
func TestRateWriter(t *testing.T) {
	t.Parallel()
	l := &lab{t: t, cloud: &cloud{}}
	l.edge = edge.New(edge.Config{Journal: journal.New(0, time.Now), Auth: l.cloud, Rates: func() []simcloud.Rate {
		return []simcloud.Rate{{Class: "read", PerSecond: 1.0 / 3600, Burst: 1}}
	}})
	l.handler = l.edge.Handler(hourly{foreign{l.cloud}})
	for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
		began := time.Now()
		header := l.ask(describe, "").Result().Header
		full, err := strconv.ParseInt(header.Get("X-Full"), 10, 64)
		if wait := time.Unix(full, 0).Sub(began); err != nil || wait < 59*time.Minute || wait > 61*time.Minute {
			t.Errorf("with status %d it is full at %q", status, header.Get("X-Full"))
		}
		if header.Get("X-Left") != "0 of 1 read" || header.Get("RateLimit-Limit") != "" {
			t.Errorf("with status %d the headers are %v", status, header)
		}
	}
}

// TestRateOfProject: the tokens of a project share its calls, and each token has its own of others.
func TestRateOfProject(t *testing.T) {
	t.Parallel()
	for scope, want := range map[simcloud.RateScope]int{
		"": http.StatusOK, simcloud.RateOfToken: http.StatusOK, simcloud.RateOfProject: http.StatusBadRequest,
	} {
		l := newLab(t, func(cfg *edge.Config) {
			cfg.Rates = func() []simcloud.Rate {
				return []simcloud.Rate{{Class: "read", PerSecond: 0.001, Burst: 1, Scope: scope}}
			}
		})
		l.want(l.ask(describe, ""), http.StatusOK)
		l.want(l.ask(describe, "", "X-Secret", "reader"), want)
	}
}
