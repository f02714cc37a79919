package manager

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// testCCM returns the CCM of a cluster whose API server is a fake.
func testCCM(t *testing.T, subject CCMSpec) *CCM {
	t.Helper()
	kube := fake.NewClientset()
	kube.PrependReactor("create", "serviceaccounts", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "token" {
			return false, nil, nil
		}
		return true, &authenticationv1.TokenRequest{Status: authenticationv1.TokenRequestStatus{Token: "the-ccm-token"}}, nil
	})
	log := slog.New(slog.DiscardHandler)
	cloud, err := sim.Open(t.Context(), sim.Config{Ephemeral: true, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	admin, err := client.New(client.Config{Endpoint: cloud.URL(), Token: cloud.Token()})
	if err != nil {
		t.Fatal(err)
	}
	ccm := New(Deps{
		Cloud: Cloud{Admin: admin, URL: cloud.URL(), Local: cloud.LocalURL(), Sim: func() *sim.Cloud { return cloud }},
		Kube: Kube{
			Name: "test", PodCIDR: "10.244.0.0/16", Client: kube,
			Config: &rest.Config{Host: "https://127.0.0.1:1", TLSClientConfig: rest.TLSClientConfig{CertData: []byte("admin"), KeyData: []byte("admin")}},
		},
		Dir: t.TempDir(),
		Timings: Timings{
			NodeMonitor: time.Second, NodeStatusUpdate: 5 * time.Second, RouteReconciliation: time.Second,
			Start: waittest.Patience(), Stop: waittest.Patience(),
		},
		Log: log,
	}, subject, Place{})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		err := ccm.Close(ctx)
		admin.Close()
		if err := errors.Join(err, cloud.Close(ctx)); err != nil {
			t.Error(err)
		}
	})
	if err := ccm.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ccm
}

// script is a subject that a shell runs; its arguments are $1 and so on.
func script(t *testing.T, text string, args ...string) CCMSpec {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ccm")
	writeProgram(t, path, text)
	return CCMSpec{Name: "ccm", Path: path, Args: args}
}

// writeProgram writes a shell script. No child is forked meanwhile: until it
// executes its own program it would hold the file open, which could not be executed ("text file busy").
func writeProgram(t *testing.T, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// forever keeps a script going until it is told to end.
const forever = "while :; do sleep 0.05; done"

func startCCM(t *testing.T, subject CCMSpec) *CCM {
	t.Helper()
	ccm := testCCM(t, subject)
	if err := ccm.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ccm
}

func awaitLog(t *testing.T, ccm *CCM, want ...string) {
	t.Helper()
	defer func() { // also when the wait fails
		if diff := cmp.Diff(want, ccm.LogTail(100)); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	}()
	waittest.For(t, "the log is as wanted", func() bool { return cmp.Equal(want, ccm.LogTail(100)) })
}

func TestCCMGetsItsPlaceholdersAndEnvironment(t *testing.T) {
	t.Parallel()
	ccm := startCCM(t, script(t, `printf '%s\n' "$@" "$KUBECONFIG" "$SIMCLOUD_ENDPOINT" "$SIMCLOUD_TOKEN_FILE" "$PWD"; `+forever,
		"--k={kubeconfig}", "{cloud-config}", "{endpoint}", "{token-file}", "{cluster-name}", "{cluster-cidr}", "{dir}"))
	dir := filepath.Join(ccm.deps.Dir, "ccm")
	kubeconfig, config := filepath.Join(dir, "kubeconfig"), filepath.Join(dir, "cloud-config.yaml")
	cloud, token := ccm.deps.Cloud.URL, filepath.Join(dir, "token")
	awaitLog(t, ccm, "--k="+kubeconfig, config, cloud, token, "test", "10.244.0.0/16", dir, kubeconfig, cloud, token, dir)

	raw, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("endpoint: "+cloud+"\ntokenFile: "+token+"\n", string(raw)); diff != "" {
		t.Errorf("cloud config (-want +got):\n%s", diff)
	}
}

func TestCCMHasAnAccessOfItsOwn(t *testing.T) {
	t.Parallel()
	ccm := testCCM(t, CCMSpec{Name: "none"})
	access, err := clientcmd.BuildConfigFromFlags("", ccm.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	if access.BearerToken != "the-ccm-token" || len(access.CertData) > 0 || len(access.KeyData) > 0 {
		t.Errorf("token %q, certificate %q: want the ServiceAccount's token and not the admin's certificate", access.BearerToken, access.CertData)
	}
	info, err := os.Stat(ccm.Kubeconfig())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v: want 0600, there is a token in it", info.Mode(), err)
	}
}

func TestCCMStopsAndStarts(t *testing.T) {
	t.Parallel()
	ccm := startCCM(t, script(t, `exec 2>/dev/null; trap 'sleep 0.1; echo bye; exit 0' TERM; echo hello; `+forever))
	awaitLog(t, ccm, "hello")
	if err := ccm.Start(t.Context()); err != nil || ccm.Starts() != 1 {
		t.Errorf("second start: %v, %d starts; a CCM that runs is left alone", err, ccm.Starts())
	}
	if err := ccm.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitLog(t, ccm, "hello", "bye", "hello") // the old one is gone before the new one starts
	if err := ccm.Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ccm.Running() {
		t.Error("it runs after Kill")
	}
	if err := ccm.Stop(t.Context()); err != nil {
		t.Errorf("stop what is stopped: %v", err)
	}
	if got := ccm.Exits(); len(got) != 0 {
		t.Errorf("exits %v: these ends were asked for", got)
	}
}

func TestPausedCCMStops(t *testing.T) {
	t.Parallel()
	ccm := startCCM(t, script(t, `echo hello; `+forever))
	awaitLog(t, ccm, "hello")
	if err := ccm.Pause(); err != nil {
		t.Fatal(err)
	}
	if !ccm.Running() {
		t.Error("a paused CCM runs")
	}
	if err := ccm.Stop(t.Context()); err != nil || ccm.Running() {
		t.Errorf("stop: %v, running %v", err, ccm.Running())
	}
	if err := ccm.Resume(); !errors.Is(err, simcloud.Conflict) {
		t.Errorf("resume what does not run: %v, want Conflict", err)
	}
}

func TestCCMExitsThatNobodyAskedFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		panics     bool
		running    bool
		says       string
	}{
		{"it fails", "echo broken; exit 3", false, false, "status 3"},
		{"it ends", "echo done", false, false, "ended by itself"},
		{"it panics", "echo 'panic: nil map'; exit 2", true, false, "status 2"},
		{"it recovers, logs and panics again", "echo 'E1 Observed a panic: nil map'; sleep 0.1; echo 'panic: nil map'; exit 2", true, false, "status 2"},
		{"it survives a panic", "echo 'E1 Observed a panic: nil map'; " + forever, true, true, "nil map"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ccm := startCCM(t, script(t, c.text))
			waittest.For(t, "there is an exit", func() bool { return len(ccm.Exits()) == 1 && ccm.Running() == c.running })
			got := ccm.Exits()[0]
			if got.Panic != c.panics || ccm.Running() != c.running || !strings.Contains(got.Reason, c.says) || len(got.Log) == 0 {
				t.Errorf("got %+v, running %v; want panic %v, running %v, a reason with %q, and the log", got, ccm.Running(), c.panics, c.running, c.says)
			}
			ccm.Forget()
			if got := ccm.Exits(); len(got) != 0 {
				t.Errorf("after forget: %+v", got)
			}
		})
	}
}

func TestAPanicIsKnownAfterTheStop(t *testing.T) {
	t.Parallel()
	ccm := startCCM(t, script(t, "exec 2>/dev/null; echo 'Observed a panic: nil map'; "+forever))
	awaitLog(t, ccm, "Observed a panic: nil map")
	if err := ccm.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ccm.Exits(); len(got) != 1 || !got[0].Panic {
		t.Errorf("got %+v, want the panic", got)
	}
}

func TestCCMThatIsNoneDoesNothing(t *testing.T) {
	t.Parallel()
	ccm := testCCM(t, CCMSpec{Name: "none"})
	for what, err := range map[string]error{
		"start": ccm.Start(t.Context()), "pause": ccm.Pause(), "stop": ccm.Stop(t.Context()), "restart": ccm.Restart(t.Context()),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if ccm.Running() {
		t.Error("none runs")
	}
}

// TestHelperCCM is no test: it is the CCM of TestCCMIsAwaitedUntilHealthy.
func TestHelperCCM(*testing.T) {
	if flag.NArg() == 0 {
		return
	}
	healthz := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	server := httptest.NewUnstartedServer(healthz)
	var err error
	if server.Listener, err = net.Listen("tcp", "127.0.0.1:"+flag.Arg(0)); err != nil {
		panic(err)
	}
	server.StartTLS()
	time.Sleep(time.Hour) // its parent ends it
}

func TestCCMIsAwaitedUntilHealthy(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ccm := startCCM(t, CCMSpec{Name: "helper", Path: self, Args: []string{"-test.run=^TestHelperCCM$", "{secure-port}"}})
	if !ccm.Running() || ccm.SecurePort() == 0 {
		t.Errorf("running %v, port %d", ccm.Running(), ccm.SecurePort())
	}
}

// TestCCMLosesItsPort: another process may take the port before the CCM listens on it.
func TestCCMLosesItsPort(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(t.TempDir(), "first")
	ccm := startCCM(t, script(t, fmt.Sprintf(
		`if [ ! -e %[1]s ]; then echo $1 > %[1]s; echo "listen tcp 127.0.0.1:$1: bind: address already in use"; exit 1; fi
exec %[2]s -test.run='^TestHelperCCM$' $1`, first, self), "{secure-port}"))
	lost, err := os.ReadFile(first)
	if err != nil || strings.TrimSpace(string(lost)) == strconv.Itoa(ccm.SecurePort()) || !ccm.Running() {
		t.Errorf("%v: lost port %s, port %d, running %v", err, lost, ccm.SecurePort(), ccm.Running())
	}
}

func TestCCMThatDoesNotBecomeHealthy(t *testing.T) {
	t.Parallel()
	ccm := testCCM(t, script(t, "echo cannot find the config; exit 1", "{secure-port}"))
	err := ccm.Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "cannot find the config") || !strings.Contains(err.Error(), "cloud controller manager") {
		t.Errorf("got %v, want an error with what failed and the last lines of the log", err)
	}
	if ccm.Running() {
		t.Error("it runs")
	}
}
