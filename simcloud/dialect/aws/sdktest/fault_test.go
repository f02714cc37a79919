package sdktest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	elbv2types "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestCredentials: a token of the cloud is the session token, or the id of the key.
func TestCredentials(t *testing.T) {
	t.Parallel()
	w := open(t)
	reader := must[simcloud.Result[simcloud.Token]](t)(w.native.CreateToken(t.Context(), simcloud.TokenSpec{Name: "reader", Role: simcloud.RoleReader})).Resource
	for _, c := range []struct{ key, token, code string }{
		{"simcloud", w.cloud.Token(), ""}, {w.cloud.Token(), "", ""}, {"simcloud", reader.Secret, ""}, {"simcloud", "guess", "AuthFailure"}, {"guess", "", "AuthFailure"},
	} {
		_, err := w.dial(credentials(c.key, c.token), aws.NopRetryer{}).DescribeInstances(t.Context(), nil)
		refused(t, err, c.code)
		if c.code == "" && err != nil {
			t.Errorf("%.8s, %.8s: %v", c.key, c.token, err)
		}
	}
	_, err := w.dial(credentials("simcloud", reader.Secret), aws.NopRetryer{}).DeleteRoute(t.Context(), &ec2.DeleteRouteInput{RouteTableId: aws.String("rtb-1"), DestinationCidrBlock: aws.String("10.0.0.0/8")})
	refused(t, err, "UnauthorizedOperation")
}

// TestRetries: what AWS' client tries again, and what it does not.
func TestRetries(t *testing.T) {
	t.Parallel()
	w := open(t)
	patient := w.patient()
	for effect, c := range map[string]struct {
		attempts int
		code     string
	}{
		`{"error": {"code": "rate_limited"}}`: {3, "RequestLimitExceeded"}, `{"error": {"code": "unavailable"}}`: {3, "Unavailable"},
		`{"error": {"code": "internal"}}`: {3, "InternalError"}, `{"error": {"code": "timeout"}}`: {3, "UnknownError"},
		`{"garble": {"body": "html"}}`: {3, "UnknownError"}, `{"reset": {"when": "before"}}`: {3, ""},
		`{"error": {"code": "unauthenticated"}}`: {1, "AuthFailure"}, `{"error": {"code": "invalid"}}`: {1, "InvalidParameterValue"},
		`{"error": {"code": "conflict"}}`: {1, "IncorrectState"}, `{"garble": {"body": "bare-404"}}`: {1, "UnknownError"},
		`{"garble": {"body": "truncated"}}`: {1, ""},
	} {
		w.fault("aws:ec2:DescribeAvailabilityZones", effect)
		begun := len(w.sent.attempts)
		_, err := patient.DescribeAvailabilityZones(t.Context(), nil)
		if attempts := len(w.sent.attempts) - begun; attempts != c.attempts || err == nil || codeOf(err) != c.code {
			t.Errorf("%s: %d attempts, %v; want %d, %s", effect, attempts, err, c.attempts, c.code)
		}
		w.clearFaults()
	}
}

// TestForeignAnswers: a foreign answer of status 200 is one without instances, for which the CCM deletes
// Nodes. That is why the dialect itself never sends one.
func TestForeignAnswers(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	for _, effect := range []string{`{"garble": {"body": "empty"}}`, `{"garble": {"body": "null"}}`, `{"garble": {"body": "html", "status": 200}}`} {
		w.fault("ListInstances", effect)
		got, err := w.all(w.ec2, &ec2.DescribeInstancesInput{})
		if len(got) != 0 || err != nil {
			t.Errorf("%s: got %d instances, %v", effect, len(got), err)
		}
		w.clearFaults()
	}
	w.fault("ListInstances", `{"garble": {"body": "unknown-enum"}}`)
	if got := w.instances(&ec2.DescribeInstancesInput{}); len(got) != 1 || got[0].State.Name != "unheard-of" {
		t.Errorf("with an unknown state: %+v", got)
	}
	w.fault("GetInstance", `{"garble": {"body": "unknown-enum"}}`)
	_, err := w.all(w.ec2, &ec2.DescribeInstancesInput{InstanceIds: []string{"i-9"}})
	refused(t, err, "unheard-of")
}

// TestLies: AWS' client believes the pages.
func TestLies(t *testing.T) {
	t.Parallel()
	w := open(t)
	for range 12 {
		w.instance(simcloud.InstanceSpec{Name: "node"})
	}
	for effect, want := range map[string]int{
		`{"page": {"lie": "short"}}`: 2, `{"page": {"lie": "drop"}}`: 9, `{"page": {"lie": "duplicate"}}`: 15, `{"page": {"lie": "shift"}}`: 10,
		`{"page": {"lie": "size", "size": 7}}`: 12, `{"stale": {"by": "1h"}}`: 0, `{"hide": {"for": "1h"}}`: 0,
	} {
		w.fault("ListInstances", effect)
		if got := len(w.instances(&ec2.DescribeInstancesInput{MaxResults: aws.Int32(5)})); got != want {
			t.Errorf("%s: %d instances, want %d", effect, got, want)
		}
		w.clearFaults()
	}
}

// TestRepeatedWrite: AWS' client repeats a write whose answer was lost, and meets what it has made.
func TestRepeatedWrite(t *testing.T) {
	t.Parallel()
	w := open(t)
	core, id := w.table()
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.fault("CreateRoute", `{"sequence": [{"reset": {"when": "after"}}]}`)
	_, err := w.patient().CreateRoute(t.Context(), &ec2.CreateRouteInput{RouteTableId: id, DestinationCidrBlock: aws.String("10.96.1.0/24"), InstanceId: aws.String("i-1")})
	refused(t, err, "RouteAlreadyExists")
	if n := len(w.sent.attempts); n != 2 || !strings.HasPrefix(w.sent.attempts[1], "attempt=2") {
		t.Errorf("the attempts are %v", w.sent.attempts)
	}
	if routes := must[simcloud.RouteTable](t)(w.native.GetRouteTable(t.Context(), core)).Routes; len(routes) != 1 {
		t.Errorf("the routes are %+v", routes)
	}
}

// TestHang: a call ends with its context.
func TestHang(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.fault("ListZones", `{"hang": {}}`)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := w.ec2.DescribeAvailabilityZones(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestLoadBalancing: errors of the other services are in their envelope, which their clients read.
func TestLoadBalancing(t *testing.T) {
	t.Parallel()
	w := open(t)
	_, err := w.elbv2.DescribeRules(t.Context(), nil)
	refused(t, err, "InvalidAction")
	if w.sent.last.StatusCode != http.StatusBadRequest {
		t.Errorf("the status is %d", w.sent.last.StatusCode)
	}
	w.fault("aws:elbv2:DescribeLoadBalancers", `{"error": {"code": "not_found"}}`)
	_, err = w.elbv2.DescribeLoadBalancers(t.Context(), nil)
	var missing *elbv2types.LoadBalancerNotFoundException
	if !errors.As(err, &missing) {
		t.Errorf("got %v", err)
	}
	w.fault("aws:elb:DescribeLoadBalancerPolicies", `{"error": {"code": "not_found"}}`)
	_, err = w.elb.DescribeLoadBalancerPolicies(t.Context(), nil)
	var none *elbtypes.AccessPointNotFoundException
	if !errors.As(err, &none) {
		t.Errorf("got %v", err)
	}
	_, err = w.classic("guess").DescribeLoadBalancers(t.Context(), nil)
	refused(t, err, "InvalidClientTokenId")
}

// TestOtherRegion: AWS' client is told that the cloud does not have the region that it signs for.
func TestOtherRegion(t *testing.T) {
	t.Parallel()
	w := open(t)
	elsewhere := func(o *ec2.Options) { o.Region = "us-east-1" }
	if err := last(w.ec2.DescribeInstances(t.Context(), nil, elsewhere)); codeOf(err) != "AuthFailure" {
		t.Errorf("DescribeInstances: %v", err)
	}
	err := last(w.elbv2.DescribeLoadBalancers(t.Context(), nil, func(o *elasticloadbalancingv2.Options) { o.Region = "us-east-1" }))
	if codeOf(err) != "SignatureDoesNotMatch" {
		t.Errorf("DescribeLoadBalancers: %v", err)
	}
}
