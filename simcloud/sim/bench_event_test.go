package sim

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// eventStreams is how many streams BenchmarkEvent opens of each kind.
const eventStreams = 500

// BenchmarkEvent makes one change over HTTP and waits until every stream that
// may see it has its events, in turns beside no stream and beside those of
// another project, or of its own. The figures are medians: on a busy machine a
// change now and then takes a hundred times as long. The budget of foreign/none is 1.2.
func BenchmarkEvent(b *testing.B) {
	for name, project := range map[string]simcloud.ID{"foreign": "theirs", "own": simcloud.DefaultProject} {
		b.Run(name, func(b *testing.B) {
			alone, beside := newStreamed(b, ""), newStreamed(b, project)
			var spent [2][]time.Duration
			for b.Loop() {
				for i, cloud := range []*streamed{alone, beside} {
					cloud.change(b) // while the streams of the other become quiet
					begun := time.Now()
					cloud.change(b)
					spent[i] = append(spent[i], time.Since(begun))
				}
			}
			none, some := median(spent[0]), median(spent[1])
			b.ReportMetric(float64(none), "ns/none")
			b.ReportMetric(float64(some), "ns/"+name)
			b.ReportMetric(float64(some)/float64(none), name+"/none")
		})
	}
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// streamed is a cloud with streams.
type streamed struct {
	cloud *Cloud
	url   string
	sent  chan struct{} // one value for each stream that has sent a change
	own   int           // how many streams see a change
	turn  int
}

// lastOfChange is in the last event of each change, that of its operation.
var lastOfChange = []byte(`"kind":"operation"`)

// newStreamed opens a cloud with streams of a project, none for "".
func newStreamed(b *testing.B, project simcloud.ID) *streamed {
	cloud, path := benchCloud(b)
	s := &streamed{cloud: cloud, url: cloud.URL() + path, sent: make(chan struct{}, eventStreams)}
	if project == "" {
		return s
	}
	if project == simcloud.DefaultProject {
		s.own = eventStreams
	} else if _, err := cloud.Core().CreateProject(b.Context(), simcloud.ProjectSpec{Name: string(project)}); err != nil {
		b.Fatal(err)
	}
	token, err := cloud.Core().CreateToken(b.Context(), simcloud.TokenSpec{Name: "t", Project: project, Role: simcloud.RoleReader})
	if err != nil {
		b.Fatal(err)
	}
	state, err := cloud.Core().GetState(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for range eventStreams {
		s.follow(b, fmt.Sprintf("%s/v1/events?after=%d", cloud.URL(), state.Revision), token.Resource.Secret)
	}
	return s
}

// follow opens a stream and reads it until the benchmark ends.
func (s *streamed) follow(b *testing.B, url, secret string) {
	res := send(b, http.MethodGet, url, secret, nil)
	b.Cleanup(func() { _ = res.Body.Close() }) // it was read as far as it mattered
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	lines.Scan() // the greeting: the stream is open
	go func() {
		for lines.Scan() {
			if bytes.Contains(lines.Bytes(), lastOfChange) {
				s.sent <- struct{}{}
			}
		}
	}()
}

// change gives the instance another label.
func (s *streamed) change(b *testing.B) {
	s.turn++
	body := fmt.Sprintf(`{"labels":{"turn":"%d"}}`, s.turn)
	res := send(b, http.MethodPatch, s.url, s.cloud.Token(), strings.NewReader(body))
	_, err := io.Copy(io.Discard, res.Body)
	if closing := res.Body.Close(); err != nil || closing != nil {
		b.Fatal(err, closing)
	}
	for range s.own {
		<-s.sent
	}
}

func send(b *testing.B, method, url, secret string, body io.Reader) *http.Response {
	req, err := http.NewRequestWithContext(b.Context(), method, url, body)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+secret)
	res, err := benchClient.Do(req)
	if err != nil || res.StatusCode != http.StatusOK {
		b.Fatalf("%s %s: %+v, %v", method, url, res, err)
	}
	return res
}
