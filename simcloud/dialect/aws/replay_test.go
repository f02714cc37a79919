package aws_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

var update = flag.Bool("update", false, "write the answers to the requests of AWS' client")

// made is what differs: the time at which an instance or a load balancer was made or ended, and the token and the end of credentials.
var made = regexp.MustCompile(`<(launchTime|reason|CreatedTime|SessionToken|Expiration)>[^<]*<`)

// TestReplay sends what AWS' client has sent, as the module sdktest has recorded it, and holds each answer to the
// one that the client could read.
func TestReplay(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.withTables()
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.instance(simcloud.InstanceSpec{Name: "node-2"})
	files := must[[]string](t)(filepath.Glob("testdata/requests/*.form"))
	if len(files) == 0 {
		t.Fatal("there are no requests")
	}
	for _, file := range files {
		body := must[[]byte](t)(os.ReadFile(file))
		res := w.post(string(body), "X-Amz-Security-Token", w.cloud.Token(), "Simcloud-Request-Id", "req-1")
		got := made.ReplaceAllString(strings.ReplaceAll(res.body, "><", ">\n<"), "<$1>then<") + "\n"
		answer := filepath.Join("testdata/answers", strings.TrimSuffix(filepath.Base(file), ".form")+".xml")
		if *update {
			if err := os.WriteFile(answer, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want := must[[]byte](t)(os.ReadFile(answer)); string(want) != got {
			t.Errorf("%s is answered\n%s\nwant\n%s", file, got, want)
		}
	}
}
