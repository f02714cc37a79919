package sdktest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/smithy-go"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// world is a cloud with a native client, and one of AWS.
type world struct {
	*testing.T
	cloud  *sim.Cloud
	native *client.Client
	ec2    *ec2.Client
	elb    *elasticloadbalancing.Client
	elbv2  *elasticloadbalancingv2.Client
	sent   *recorder
	// answers checks what all clients get.
	answers *answers
}

func open(t *testing.T, opts ...simtest.Option) world {
	t.Helper()
	cloud, native := simtest.Open(t, opts...)
	w := world{T: t, cloud: cloud, native: native, sent: &recorder{}, answers: newAnswers(t)}
	w.ec2 = w.dial(credentials("simcloud", cloud.Token()), aws.NopRetryer{})
	w.elb = w.classic(cloud.Token())
	w.elbv2 = elasticloadbalancingv2.New(elasticloadbalancingv2.Options{
		Region: "region-1", BaseEndpoint: aws.String(cloud.URL() + "/aws"), Retryer: aws.NopRetryer{},
		Credentials: credentials("simcloud", cloud.Token()), HTTPClient: w.sent, APIOptions: w.answers.options(),
	})
	return w
}

// dial returns a client of EC2 with credentials.
func (w world) dial(as aws.CredentialsProvider, again aws.Retryer) *ec2.Client {
	return ec2.New(ec2.Options{
		Region: "region-1", BaseEndpoint: aws.String(w.cloud.URL() + "/aws"), Retryer: again,
		Credentials: as, HTTPClient: w.sent, APIOptions: w.answers.options(),
	})
}

// classic returns a client of classic load balancers with a token.
func (w world) classic(token string) *elasticloadbalancing.Client {
	return elasticloadbalancing.New(elasticloadbalancing.Options{
		Region: "region-1", BaseEndpoint: aws.String(w.cloud.URL() + "/aws"), Retryer: aws.NopRetryer{},
		Credentials: credentials("simcloud", token), HTTPClient: w.sent, APIOptions: w.answers.options(),
	})
}

// patient returns a client that tries calls again as AWS' does by default, but without its pauses.
func (w world) patient() *ec2.Client {
	return w.dial(credentials("simcloud", w.cloud.Token()), retry.NewStandard(func(o *retry.StandardOptions) {
		o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
	}))
}

func credentials(key, token string) aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: key, SecretAccessKey: "simcloud", SessionToken: token}, nil
	})
}

// recorder sends requests and remembers them.
type recorder struct {
	mu       sync.Mutex
	bodies   []string
	attempts []string // the header that counts them
	last     *http.Response
}

// Do implements aws.HTTPClient.
func (r *recorder) Do(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		req.Body = io.NopCloser(strings.NewReader(string(body)))
	}
	res, err := http.DefaultClient.Do(req)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bodies, r.attempts, r.last = append(r.bodies, string(body)), append(r.attempts, req.Header.Get("Amz-Sdk-Request")), res
	return res, err
}

// must returns v, and ends the test when there is an error.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// codeOf is the code of the error that AWS' client has made of an answer; empty for another error, and for none.
func codeOf(err error) string {
	var e smithy.APIError
	if errors.As(err, &e) {
		return e.ErrorCode()
	}
	return ""
}

// refused fails the test unless an error has a code of AWS.
func refused(t testing.TB, err error, code string) {
	t.Helper()
	if codeOf(err) != code {
		t.Errorf("got %v, want the code %s", err, code)
	}
}

// instance makes an instance.
func (w world) instance(spec simcloud.InstanceSpec) simcloud.Instance {
	w.Helper()
	return must[simcloud.Result[simcloud.Instance]](w)(w.native.CreateInstance(w.Context(), spec)).Resource
}

// table is the first route table, and its id at AWS.
func (w world) table() (simcloud.ID, *string) {
	w.Helper()
	all := must[[]simcloud.RouteTable](w)(simcloud.ListAll(w.Context(), w.native.ListRouteTables, simcloud.ListOptions{}))
	if len(all) == 0 {
		all = append(all, must[simcloud.Result[simcloud.RouteTable]](w)(w.native.CreateRouteTable(w.Context(), simcloud.RouteTableSpec{Name: "routes"})).Resource)
	}
	return all[0].ID, aws.String("rtb-" + strings.TrimPrefix(string(all[0].ID), "rt-"))
}

// fault adds a rule for one operation, with an effect as JSON.
func (w world) fault(operation, effect string) {
	w.Helper()
	var e fault.Effect
	if err := json.Unmarshal([]byte(effect), &e); err != nil {
		w.Fatal(err)
	}
	if e.Garble != nil {
		w.answers.spoil(true)
	}
	must[fault.Rule](w)(w.native.AddFault(w.Context(), fault.Rule{Match: fault.Match{Operation: operation}, Effect: e}))
}

func (w world) clearFaults() {
	w.Helper()
	if err := w.native.ClearFaults(w.Context()); err != nil {
		w.Fatal(err)
	}
	w.answers.spoil(false)
}
