package cli

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// following runs a command that goes on, and returns the function that reads its next line.
func following(t *testing.T, args ...string) (next func() string) {
	t.Helper()
	reader, writer := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := newRootCommand(output.Streams{In: strings.NewReader(""), Out: writer, Err: io.Discard})
	cmd.SetArgs(args)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = writer.CloseWithError(cmd.ExecuteContext(ctx))
	}()
	t.Cleanup(func() {
		cancel()
		_ = reader.Close()
		<-ended
	})
	lines := bufio.NewReader(reader)
	return func() string {
		t.Helper()
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("after %q: %v", line, err)
		}
		return strings.Join(strings.Fields(line), " ")
	}
}

// TestWatchShowsWhatThereIsAndThenWhatHappens: of the kind, with the labels and in the zone that were asked for.
func TestWatchShowsWhatThereIsAndThenWhatHappens(t *testing.T) {
	cloud, c := simtest.Open(t)
	t.Setenv("SIMCLOUD_ENDPOINT", cloud.URL())
	t.Setenv("SIMCLOUD_TOKEN", cloud.Token())
	create := func(name, app string) { // in the zones in turn
		t.Helper()
		spec := simcloud.InstanceSpec{Name: name, Labels: map[string]string{"app": app}, NoPublicAddress: true}
		if _, err := c.CreateInstance(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	want := func(next func() string, begin string) {
		t.Helper()
		if got := next(); !strings.HasPrefix(got, begin) {
			t.Errorf("got %q, want it to begin with %q", got, begin)
		}
	}
	create("node-1", "web")
	create("node-2", "db")
	next := following(t, "instance", "list", "--watch", "-l", "app=web")
	want(next, "created i-1 node-1 running")
	create("node-3", "db")
	create("node-4", "web")
	want(next, "created i-4 node-4 running")
	if _, err := c.StopInstance(t.Context(), "i-1"); err != nil {
		t.Fatal(err)
	}
	want(next, "updated i-1 node-1 stopped")
	if _, err := c.DeleteInstance(t.Context(), "i-1"); err != nil {
		t.Fatal(err)
	}
	want(next, "deleted i-1 node-1")

	json := following(t, "instance", "list", "-w", "--name", "node-4", "-o", "json")
	want(json, `{"type":"created","object":{"id":"i-4","name":"node-4"`)

	zone := following(t, "instance", "list", "-w", "--zone", "zone-b", "-l", "app=web")
	create("node-5", "web")
	want(zone, "created i-5 node-5 running small zone-b")
	create("node-6", "web")
	create("node-7", "web")
	create("node-8", "web")
	want(zone, "created i-8 node-8 running small zone-b")
}
