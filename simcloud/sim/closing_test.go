package sim_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// fill makes more events of an instance with big user data than fit into the buffers of a connection.
func fill(t *testing.T, cloud *sim.Cloud) {
	t.Helper()
	c := dial(t, client.Config{Endpoint: cloud.URL(), Token: cloud.Token()})
	made, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a", UserData: strings.Repeat("x", 60<<10)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 80 {
		labels := map[string]string{"n": strconv.Itoa(i)}
		if _, err := c.UpdateInstance(t.Context(), made.Resource.ID, simcloud.InstanceUpdate{Labels: &labels}); err != nil {
			t.Fatal(err)
		}
	}
}

// hangs is after how long a test that waits for the cloud has hung.
const hangs = 5 * time.Minute

// send opens a connection that reads next to nothing, and sends a request on it.
func send(t *testing.T, cloud *sim.Cloud, line, rest string) net.Conn {
	t.Helper()
	conn := connect(t, cloud)
	if err := errors.Join(conn.(*net.TCPConn).SetReadBuffer(4096), conn.SetDeadline(time.Now().Add(hangs))); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, request(cloud, line, rest)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestCloseDoesNotWaitForClients: one that does not read, or does not send what
// it has begun, takes nothing of the time that Close has.
func TestCloseDoesNotWaitForClients(t *testing.T) {
	t.Parallel()
	cloud := open(t, sim.Config{Ephemeral: true, Limits: sim.Limits{Header: long, Body: long, Answer: long, Event: long}})
	fill(t, cloud)
	send(t, cloud, "GET /v1/events?after=1", "\r\n")
	send(t, cloud, "GET /v1/zones", "Content-Length: 100\r\n\r\n{")
	half := send(t, cloud, "POST /v1/instances", "Content-Length: 100\r\n\r\n{")
	waittest.For(t, "the stream and the half-sent request are under way", func() bool {
		return scrape(t, cloud)["simcloud_requests_in_flight"] == 2
	})
	waittest.For(t, "the other half-sent request is in the journal", func() error {
		calls, err := cloud.Journal().ListJournal(t.Context(), simcloud.JournalFilter{Operation: "ListZones"})
		if err == nil && len(calls) == 0 {
			err = errors.New("no call")
		}
		return err
	})
	shut(t, cloud)

	res, err := http.ReadResponse(bufio.NewReader(half), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var problem struct{ Detail string }
	if err := json.NewDecoder(res.Body).Decode(&problem); err != nil ||
		res.StatusCode != http.StatusServiceUnavailable || problem.Detail != "the cloud is closing" {
		t.Errorf("who had sent half a body was told %d %q, %v", res.StatusCode, problem.Detail, err)
	}
}

// TestCloseCutsOff: what is still under way when the time of Close is over is cut, and that is no error.
func TestCloseCutsOff(t *testing.T) {
	t.Parallel()
	cloud := open(t, sim.Config{Ephemeral: true, Limits: sim.Limits{Event: long, Answer: long}})
	fill(t, cloud)
	conn := send(t, cloud, "GET /v1/events?after=1", "\r\n")
	waittest.For(t, "the stream is open", func() bool { return scrape(t, cloud)["simcloud_streams"] == 1 })
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := cloud.Close(over); err != nil {
		t.Errorf("close: %v", err)
	}
	// What is in the buffers of the kernel still comes, with a small buffer in small pieces and with pauses.
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 20); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil && strings.Contains(err.Error(), "i/o timeout") {
		t.Errorf("the connection stays open: %v", err)
	}
}
