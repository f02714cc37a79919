package step_test

import (
	"fmt"
	"net"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

func TestUDP(t *testing.T) {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		buffer := make([]byte, 100)
		for {
			n, peer, err := server.ReadFrom(buffer)
			if err != nil {
				return
			}
			if string(buffer[:n]) != "silence" {
				_, _ = server.WriteTo([]byte(peer.(*net.UDPAddr).IP.String()+" says "+string(buffer[:n])), peer)
			}
		}
	}()
	t.Cleanup(func() { _ = server.Close(); <-served })
	runtest.Passes(t, packets(t, steptest.NewCluster(t), fmt.Sprintf(`
  - capture: {port: '"%d"'}
  - udp: {address: "127.0.0.1:${port}", send: "${ns}", from: 127.0.0.9, times: 3, timeout: 60s, capture: r}
  - expect: 'r == {"ok": 3, "failed": 0, "statuses": {}, "body": "127.0.0.9 says test-one", "bodies": ["127.0.0.9 says test-one"], "errors": []}'
  - udp: {address: "127.0.0.1:${port}", send: silence, timeout: 50ms, capture: r, expect: 'r.failed == 1 && r.errors == ["no answer within 50ms"]'}
`, server.LocalAddr().(*net.UDPAddr).Port)))
	runtest.Fails(t, packets(t, steptest.NewCluster(t), "  - udp: {address: '127.0.0.1', send: x}\n"), `address is "127.0.0.1": want an address such as 127.77.0.1:53`)
}
