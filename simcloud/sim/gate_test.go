package sim_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// halfSent sends the head of a request and half of its body, and returns the connection.
func halfSent(t *testing.T, cloud *sim.Cloud, path, header string, size int) net.Conn {
	t.Helper()
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(cloud.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, _ = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n%s\r\n%s", path, size, header, strings.Repeat("x", size/2)) // it may be closed meanwhile
	return conn
}

// statusOn reads the status of the answer on a connection; 0 when none comes within that time.
func statusOn(conn net.Conn, within time.Duration) int {
	if conn.SetReadDeadline(time.Now().Add(within)) != nil {
		return 0
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// TestBodiesOfStrangers: hundreds of half-sent bodies of callers that are not known cost no memory, and their connections end.
func TestBodiesOfStrangers(t *testing.T) { // not parallel: it measures the heap
	cloud := open(t, sim.Config{Ephemeral: true})
	login(t, cloud)
	before := inUse()
	var conns []net.Conn
	const signed = "Authorization: AWS4-HMAC-SHA256 Credential=wrong/20260101/region-1/ec2/aws4_request, Signature=x\r\n"
	for range 100 {
		for path, header := range map[string]string{
			"/aws": "", "/aws/": signed, "/openstack/identity/v3/auth/tokens": "", "/openstack/load-balancer/v2.0/lbaas/listeners": "",
			"/openstack/load-balancer/v2.0/lbaas/members": "X-Auth-Token: wrong\r\n", "/hcloud/v1/servers": "", "/v1/instances": "",
		} {
			conns = append(conns, halfSent(t, cloud, path, header, 1<<20))
		}
	}
	if grown := inUse() - before; grown > 100 {
		t.Errorf("half-sent bodies hold %d MiB", grown)
	}
	for _, conn := range conns {
		if conn.SetReadDeadline(time.Now().Add(20*time.Second)) != nil {
			continue // it is closed
		}
		if _, err := bufio.NewReader(conn).ReadString(0); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Fatal("a connection stays open while its body does not arrive")
		}
	}
}

// TestLoginsAreCounted: as many logins are read at once as there are places; one more is told to wait, and a place is free again
// when its login has ended.
func TestLoginsAreCounted(t *testing.T) {
	t.Parallel()
	cloud := open(t, sim.Config{Ephemeral: true})
	var waiting []net.Conn
	full := func(wait time.Duration) bool {
		conn := halfSent(t, cloud, "/openstack/identity/v3/auth/tokens", "", 100)
		if status := statusOn(conn, wait); status != 0 {
			return status == http.StatusTooManyRequests
		}
		waiting = append(waiting, conn)
		return false
	}
	for range 127 {
		full(time.Millisecond)
	}
	for range 20 { // these may have come before the others
		if full(2 * time.Second) {
			break
		}
	}
	if len(waiting) < 128 || len(waiting) > 140 {
		t.Fatalf("%d logins are read at once", len(waiting))
	}
	form := "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&WebIdentityToken=" + cloud.Token()
	if status, _, body := ask(t, http.MethodPost, cloud.URL()+"/aws", form, nil); status < 400 || !strings.Contains(body, "logins are under way") {
		t.Errorf("a login by a form is %d %s", status, body)
	}
	for _, conn := range waiting {
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		body := `{"auth":{"identity":{"methods":["application_credential"],"application_credential":{"id":"simcloud","secret":"` + cloud.Token() + `"}}}}`
		if status, _, _ := ask(t, http.MethodPost, cloud.URL()+"/openstack/identity/v3/auth/tokens", body, nil); status == http.StatusCreated {
			return
		}
	}
	t.Error("no login succeeds after the others have ended")
}
