package manager

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
	"github.com/simcloud-dev/simcloud/simcloud/wire"
)

// untilDone is a CCM that does nothing.
func untilDone(ctx context.Context, _ Access) error {
	<-ctx.Done()
	return nil
}

// TestFunctionIsStartedAndStopped: a function gets what a process gets, and its end is waited for.
func TestFunctionIsStartedAndStopped(t *testing.T) {
	t.Parallel()
	ended := false
	ccm := testCCM(t, InProcess("func", func(ctx context.Context, a Access) error {
		token, err := os.ReadFile(a.TokenFile)
		fmt.Fprintln(a.Log, a.Endpoint, a.ClusterName, a.ClusterCIDR, a.Flags[len(a.Flags)-1], len(token) > 10, err)
		for _, file := range []string{a.Kubeconfig, a.CloudConfig} {
			if _, err := os.Stat(file); err != nil {
				return err
			}
		}
		<-ctx.Done()
		ended = true
		return ctx.Err()
	}, false))
	if err := ccm.Configure(control.Settings{Flags: []string{"--port={secure-port}"}}); err != nil {
		t.Fatal(err)
	}
	if err := ccm.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "it has logged", func() bool { return len(ccm.LogTail(1)) == 1 })
	want := fmt.Sprintf("%s test %s --port=%d true <nil>", ccm.deps.Cloud.URL, ccm.deps.Kube.PodCIDR, ccm.SecurePort())
	if got := ccm.LogTail(1)[0]; got != want || !ccm.Running() {
		t.Errorf("the log is %q, want %q; running %t", got, want, ccm.Running())
	}
	if err := ccm.Pause(); !errors.Is(err, simcloud.Unimplemented) {
		t.Errorf("pause: %v, want Unimplemented", err)
	}
	if err := ccm.Standby().Start(t.Context()); !errors.Is(err, simcloud.Unimplemented) {
		t.Errorf("start a standby: %v, want Unimplemented", err)
	}
	if err := ccm.Stop(t.Context()); err != nil || !ended || ccm.Running() || len(ccm.Exits()) > 0 {
		t.Errorf("stop: %v, ended %t, running %t, exits %v", err, ended, ccm.Running(), ccm.Exits())
	}
}

// TestFunctionIsConfigured: a function gets the environment and the config files of its subject, with their placeholders filled in.
func TestFunctionIsConfigured(t *testing.T) {
	t.Parallel()
	subject := InProcess("func", func(ctx context.Context, a Access) error {
		config, err := os.ReadFile(a.ConfigFiles["cloud.conf"])
		fmt.Fprintln(a.Log, a.Env, string(config), err)
		return untilDone(ctx, a)
	}, false)
	subject.Env, subject.ConfigFiles = []string{"URL={endpoint:aws}"}, map[string]string{"cloud.conf": "cluster={cluster-name}"}
	ccm := startCCM(t, subject)
	waittest.For(t, "it has logged", func() bool { return len(ccm.LogTail(1)) == 1 })
	if got, want := ccm.LogTail(1)[0], "[URL="+ccm.deps.Cloud.URL+"/aws] cluster=test <nil>"; got != want {
		t.Errorf("the log is %q, want %q", got, want)
	}
}

// TestFunctionThatEnds: an unexpected end is recorded, whether with an error, a panic, or neither.
func TestFunctionThatEnds(t *testing.T) {
	t.Parallel()
	for says, run := range map[string]Func{
		"the cloud is shut":         func(context.Context, Access) error { return errors.New("the cloud is shut") },
		"panic: nil map":            func(context.Context, Access) error { panic("nil map") },
		"returned without an error": func(context.Context, Access) error { return nil },
	} {
		ccm := startCCM(t, InProcess("func", run, false))
		waittest.For(t, says, func() bool { return len(ccm.Exits()) == 1 })
		if exit := ccm.Exits()[0]; !strings.Contains(exit.Reason, says) || ccm.Running() {
			t.Errorf("%s: the exit is %+v, running %t", says, exit, ccm.Running())
		}
	}
}

// serveHealth is a CCM that is healthy, and does nothing else.
func serveHealth(ctx context.Context, a Access) error {
	listener, err := net.Listen("tcp", fmt.Sprintf("%s:%d", loopback, a.SecurePort))
	if err != nil {
		return err
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	_ = server.Listener.Close()
	server.Listener = listener
	server.StartTLS()
	defer server.Close()
	return untilDone(ctx, a)
}

// TestFunctionLosesItsPort: another process may take the port before the function listens on it.
func TestFunctionLosesItsPort(t *testing.T) {
	t.Parallel()
	var ports []int
	ccm := startCCM(t, InProcess("func", func(ctx context.Context, a Access) error {
		ports = append(ports, a.SecurePort)
		if len(ports) > 1 {
			return serveHealth(ctx, a)
		}
		taken, err := net.Listen("tcp", fmt.Sprintf("%s:%d", loopback, a.SecurePort))
		if err != nil {
			return err
		}
		defer func() { _ = taken.Close() }()
		return serveHealth(ctx, a)
	}, true))
	if !ccm.Running() || len(ports) != 2 || ports[1] != ccm.SecurePort() || len(ccm.Exits()) > 0 {
		t.Errorf("running %t on port %d, after it was called with %v; exits %v", ccm.Running(), ccm.SecurePort(), ports, ccm.Exits())
	}
}

// TestFunctionThatServes: it has started when it is healthy; one that ends before has not.
func TestFunctionThatServes(t *testing.T) {
	t.Parallel()
	ccm := startCCM(t, InProcess("func", serveHealth, true))
	if !ccm.Running() || len(ccm.Exits()) > 0 {
		t.Errorf("it is healthy, and running is %t with %v", ccm.Running(), ccm.Exits())
	}
	failing := testCCM(t, InProcess("func", func(context.Context, Access) error { return errors.New("no such region") }, true))
	if err := failing.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "no such region") || failing.Running() {
		t.Errorf("start: %v, running %t", err, failing.Running())
	}
	if log, err := failing.StartFailing(t.Context()); err != nil || !strings.Contains(log, "no such region") {
		t.Errorf("start failing: %v, %q", err, log)
	}
}

// TestFunctionThatDoesNotReturn: it is reported, and not taken for ended.
func TestFunctionThatDoesNotReturn(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	ccm := testCCM(t, InProcess("func", func(context.Context, Access) error {
		<-release
		return nil
	}, false))
	ccm.deps.Timings.Stop = 50 * time.Millisecond
	if err := ccm.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := ccm.Stop(t.Context()); !errors.Is(err, simcloud.Timeout) {
		t.Errorf("stop: %v, want Timeout", err)
	}
	close(release)
}

// TestFunctionReachesTheCloud: what a function gets leads to the cloud, by sockets or on the network in memory.
func TestFunctionReachesTheCloud(t *testing.T) {
	t.Parallel()
	network := wire.New()
	for name, host := range map[string]*wire.Network{"sockets": nil, "wire": network} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := make(chan error)
			ccm := testCCM(t, InProcess("func", func(ctx context.Context, a Access) error {
				answers <- callsCloud(ctx, a)
				return untilDone(ctx, a)
			}, false))
			if host != nil {
				ccm.deps.Wire = host
				cloud, err := sim.Open(t.Context(), sim.Config{Ephemeral: true, Sockets: network})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = cloud.Close(t.Context()) }()
				ccm.deps.Cloud.Local = cloud.URL()
			}
			if err := ccm.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := <-answers; err != nil {
				t.Error(err)
			}
			if err := ccm.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// callsCloud reaches the cloud in both ways that there are.
func callsCloud(ctx context.Context, a Access) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.Endpoint+"/healthz", http.NoBody)
	if err != nil {
		return err
	}
	res, err := (&http.Client{Transport: a.Transport}).Do(req)
	if err != nil {
		return err
	}
	_ = res.Body.Close()
	conn, err := a.DialContext(ctx, "tcp", req.URL.Host)
	if err != nil {
		return err
	}
	return conn.Close()
}
