package aws_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// TestErrorsAreRendered: an error of a fault rule is the one that EC2 has for it.
func TestErrorsAreRendered(t *testing.T) {
	t.Parallel()
	w := open(t)
	calls := map[string][]string{
		"DescribeInstances": {"InstanceId.1", "i-1"}, "DescribeSubnets": nil, "DescribeVpcs": nil, "DescribeRouteTables": nil,
		"CreateRoute":             {"RouteTableId", "rtb-1", "DestinationCidrBlock", "10.96.0.0/24", "InstanceId", "i-1"},
		"DeleteRoute":             {"RouteTableId", "rtb-1", "DestinationCidrBlock", "10.96.0.0/24"},
		"ModifyInstanceAttribute": {"InstanceId", "i-1", "SourceDestCheck.Value", "false"},
	}
	for _, test := range []struct {
		action, code string
		status       int
		want         string
	}{
		{"DescribeInstances", "invalid", 400, "InvalidParameterValue"},
		{"DescribeInstances", "unauthenticated", 401, "AuthFailure"},
		{"DescribeInstances", "forbidden", 403, "UnauthorizedOperation"},
		{"DescribeInstances", "not_found", 400, "InvalidInstanceID.NotFound"},
		{"DescribeSubnets", "not_found", 400, "InvalidSubnetID.NotFound"},
		{"DescribeVpcs", "not_found", 400, "InvalidVpcID.NotFound"},
		{"DescribeRouteTables", "not_found", 400, "InvalidRouteTableID.NotFound"},
		{"DescribeInstances", "conflict", 400, "IncorrectState"},
		{"DescribeInstances", "rate_limited", 503, "RequestLimitExceeded"},
		{"DescribeInstances", "unavailable", 503, "Unavailable"},
		{"DescribeInstances", "timeout", 504, ""},
		{"DescribeInstances", "unimplemented", 400, "InvalidAction"},
		{"DescribeInstances", "internal", 500, "InternalError"},
		{"CreateRoute", "already_exists", 400, "RouteAlreadyExists"},
		{"CreateRoute", "capacity", 400, "RouteLimitExceeded"},
		{"CreateRoute", "quota_exceeded", 400, "RouteLimitExceeded"},
		{"CreateRoute", "locked", 400, "IncorrectState"},
		{"CreateRoute", "in_use", 400, "DependencyViolation"},
		{"CreateRoute", "protected", 400, "OperationNotPermitted"},
		{"DeleteRoute", "not_found", 400, "InvalidRoute.NotFound"},
		{"ModifyInstanceAttribute", "locked", 400, "IncorrectInstanceState"},
		{"ModifyInstanceAttribute", "conflict", 400, "IncorrectInstanceState"},
		{"ModifyInstanceAttribute", "capacity", 500, "InsufficientInstanceCapacity"},
		{"CreateSecurityGroup", "already_exists", 400, "InvalidGroup.Duplicate"},
		{"CreateSecurityGroup", "quota_exceeded", 400, "SecurityGroupLimitExceeded"},
		{"CreateSecurityGroup", "capacity", 400, "SecurityGroupLimitExceeded"},
		{"DescribeSecurityGroups", "not_found", 400, "InvalidGroup.NotFound"},
		{"DeleteSecurityGroup", "in_use", 400, "DependencyViolation"},
		{"AuthorizeSecurityGroupIngress", "already_exists", 400, "InvalidPermission.Duplicate"},
		{"AuthorizeSecurityGroupIngress", "quota_exceeded", 400, "RulesPerSecurityGroupLimitExceeded"},
		{"AuthorizeSecurityGroupIngress", "capacity", 400, "RulesPerSecurityGroupLimitExceeded"},
		{"RevokeSecurityGroupIngress", "not_found", 400, "InvalidGroup.NotFound"},
		{"CreateTags", "not_found", 400, "InvalidInstanceID.NotFound"},
		{"DeleteTags", "rate_limited", 503, "RequestLimitExceeded"},
	} {
		w.fault("aws:ec2:"+test.action, `{"error": {"code": "`+test.code+`", "message": "because", "retryAfter": "2s"}}`)
		res := w.refused(test.want, test.status, ec2, test.action, calls[test.action]...)
		if test.want == "" && res.body != "" || test.want != "" && res.text("Errors/Error/Message") != "because" {
			t.Errorf("%s %s: %s", test.action, test.code, res.body)
		}
		w.clearFaults()
	}
}

// TestRulesForNewNames: a rule for a name meets the request that creates what has the name, and no other.
func TestRulesForNewNames(t *testing.T) {
	t.Parallel()
	w := open(t)
	if _, err := w.native.AddFault(t.Context(), fault.Rule{
		Match: fault.Match{Operation: "Create*", Resource: "down-*"}, Effect: fault.Effect{Error: &fault.Problem{Code: simcloud.Unavailable}},
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code, version, action string
		fields                func(name string) []string
	}{
		{"Unavailable", ec2, "CreateSecurityGroup", func(name string) []string { return []string{"GroupName", name, "GroupDescription", "a"} }},
		{"ServiceUnavailable", elb, "CreateLoadBalancer", func(name string) []string { return classic(name) }},
		{"ServiceUnavailable", elbv2, "CreateLoadBalancer", func(name string) []string { return network(name) }},
		{"ServiceUnavailable", elbv2, "CreateTargetGroup", func(name string) []string { return targets(name, "TCP", "31000") }},
	} {
		w.refused(c.code, http.StatusServiceUnavailable, c.version, c.action, c.fields("down-"+c.version)...)
		w.does(c.version, c.action, c.fields("other-"+c.version)...)
	}
}

// TestErrorsOfLoadBalancing: the other services have words of their own.
func TestErrorsOfLoadBalancing(t *testing.T) {
	t.Parallel()
	w := open(t)
	for code, want := range map[string]struct {
		status int
		code   string
	}{
		"invalid": {400, "ValidationError"}, "unauthenticated": {403, "InvalidClientTokenId"}, "forbidden": {403, "AccessDenied"},
		"not_found": {400, "LoadBalancerNotFound"}, "already_exists": {400, "DuplicateLoadBalancerName"}, "in_use": {400, "ResourceInUse"},
		"locked": {400, "OperationNotPermitted"}, "quota_exceeded": {400, "TooManyLoadBalancers"}, "rate_limited": {400, "Throttling"},
		"unavailable": {503, "ServiceUnavailable"}, "internal": {500, "InternalFailure"}, "timeout": {504, ""},
	} {
		w.fault("aws:elbv2:DescribeLoadBalancers", `{"error": {"code": "`+code+`"}}`)
		res := w.refused(want.code, want.status, elbv2, "DescribeLoadBalancers")
		if fault := res.text("Error/Type"); want.code != "" && (fault == "Receiver") != (want.status >= 500) {
			t.Errorf("%s: at fault is the %s", code, fault)
		}
		w.clearFaults()
	}
}

// TestGarbledAnswers: what comes in place of an answer.
func TestGarbledAnswers(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	for effect, fits := range map[string]func(sent) bool{
		`{"garble": {"body": "html"}}`:                func(s sent) bool { return s.status == 502 && strings.Contains(s.body, "<html>") },
		`{"garble": {"body": "html", "status": 200}}`: func(s sent) bool { return s.status == 200 && strings.Contains(s.body, "<html>") },
		`{"garble": {"body": "bare-404"}}`:            func(s sent) bool { return s.status == 404 && s.body == "" },
		`{"garble": {"body": "empty"}}`:               func(s sent) bool { return s.status == 200 && s.body == "" },
		`{"garble": {"body": "null"}}`:                func(s sent) bool { return s.status == 200 && s.body == "null\n" },
		`{"garble": {"body": "truncated"}}`: func(s sent) bool {
			return s.status == 200 && strings.HasPrefix(s.body, "<?xml") && !strings.HasSuffix(s.body, "Response>")
		},
		`{"garble": {"body": "unknown-enum"}}`: func(s sent) bool {
			return s.text(inReservation+"instanceState/name") == "unheard-of" && s.text(inReservation+"instanceId") == "i-1"
		},
	} {
		w.fault("ListInstances", effect)
		if res := w.ask(ec2, "DescribeInstances"); !fits(res) {
			t.Errorf("%s: %d %s", effect, res.status, res.body)
		}
		w.clearFaults()
	}
	w.fault("GetInstance", `{"garble": {"body": "unknown-enum"}}`)
	w.refused("unheard-of", 400, ec2, "DescribeInstances", "InstanceId.1", "i-9")
}

// TestLies: a list is behind, or its pages lie.
func TestLies(t *testing.T) {
	t.Parallel()
	w := open(t)
	for range 12 {
		w.instance(simcloud.InstanceSpec{Name: "node"})
	}
	for effect, want := range map[string][]int{ // how many each page has
		`{"stale": {"by": "1h"}}`:              {0},
		`{"hide": {"for": "1h"}}`:              {0},
		`{"page": {"lie": "short"}}`:           {2},
		`{"page": {"lie": "drop"}}`:            {4, 4, 1},
		`{"page": {"lie": "duplicate"}}`:       {5, 5, 5},
		`{"page": {"lie": "shift"}}`:           {5, 5},
		`{"page": {"lie": "size", "size": 7}}`: {7, 5},
	} {
		w.fault("ListInstances", effect)
		token, pages := "", []int{}
		for {
			fields := []string{"MaxResults", "5"}
			if token != "" {
				fields = append(fields, "NextToken", token)
			}
			page := w.does(ec2, "DescribeInstances", fields...)
			pages = append(pages, len(page.texts("reservationSet/item")))
			if token = page.text("nextToken"); token == "" || len(pages) > 5 {
				break
			}
		}
		if !slices.Equal(pages, want) {
			t.Errorf("%s: the pages have %v, want %v", effect, pages, want)
		}
		w.clearFaults()
	}
	w.fault("GetInstance", `{"hide": {"for": "1h"}}`)
	w.refused("InvalidInstanceID.NotFound", 400, ec2, "DescribeInstances", "InstanceId.1", "i-1")
}

// TestLostAnswers: a change stays when its answer does not arrive, and does not happen when the request does not.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	w := open(t)
	table := w.withTables()[0]
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	create := form(ec2, "CreateRoute", "RouteTableId", "rtb-"+strings.TrimPrefix(string(table.ID), "rt-"), "DestinationCidrBlock", "10.96.1.0/24", "InstanceId", "i-1")
	for when, routes := range map[string]int{"before": 0, "after": 1} {
		w.fault("CreateRoute", `{"reset": {"when": "`+when+`"}}`)
		if err := w.lost(t.Context(), create); err == nil {
			t.Errorf("%s: there is an answer", when)
		}
		w.clearFaults()
		now := must[simcloud.RouteTable](t)(w.native.GetRouteTable(t.Context(), table.ID))
		if len(now.Routes) != routes {
			t.Errorf("%s: the routes are %+v", when, now.Routes)
		}
		if routes == 1 { // as the SDK does at once
			if res := w.post(create, "X-Amz-Security-Token", w.cloud.Token()); res.code() != "RouteAlreadyExists" {
				t.Errorf("the second one: %s", res.body)
			}
		}
		for _, r := range now.Routes {
			must[simcloud.Result[simcloud.RouteTable]](t)(w.native.DeleteRoute(t.Context(), table.ID, r.ID))
		}
	}
}

// lost sends a request whose answer may not come.
func (w world) lost(ctx context.Context, body string) error {
	r := must[*http.Request](w)(http.NewRequestWithContext(ctx, http.MethodPost, w.cloud.URL()+"/aws", strings.NewReader(body)))
	r.Header.Set("X-Amz-Security-Token", w.cloud.Token())
	res, err := http.DefaultClient.Do(r)
	if err == nil {
		err = res.Body.Close()
	}
	return err
}

// TestHang: no answer comes before the client gives up, and a delayed one does.
func TestHang(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.fault("ListZones", `{"delay": {"duration": "10ms"}}`)
	w.does(ec2, "DescribeAvailabilityZones")
	w.fault("ListInstances", `{"hang": {}}`)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := w.lost(ctx, form(ec2, "DescribeInstances")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestLockedByFault: a lock refuses changes of the table and lets reads go on.
func TestLockedByFault(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.fault("GetInstance", `{"lock": {"for": "1h"}}`)
	w.does(ec2, "DescribeInstances", "InstanceId.1", "i-1")
	w.refused("IncorrectInstanceState", 400, ec2, "ModifyInstanceAttribute", "InstanceId", "i-1", "SourceDestCheck.Value", "false")
	w.does(ec2, "DescribeInstances", "InstanceId.1", "i-1")
}

// TestFailedChange: a route that the cloud takes back is gone, though the action has succeeded.
func TestFailedChange(t *testing.T) {
	t.Parallel()
	w := open(t)
	table := w.withTables()[0]
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.fault("aws:ec2:CreateRoute", `{"state": {"code": "unavailable"}}`)
	w.does(ec2, "CreateRoute", "RouteTableId", "rtb-"+strings.TrimPrefix(string(table.ID), "rt-"), "DestinationCidrBlock", "10.96.1.0/24", "InstanceId", "i-1")
	if now := must[simcloud.RouteTable](t)(w.native.GetRouteTable(t.Context(), table.ID)); len(now.Routes) != 0 {
		t.Errorf("the routes are %+v", now.Routes)
	}
	if entries := w.journal("aws:ec2:CreateRoute"); len(entries) != 1 || entries[0].Fault == "" {
		t.Errorf("the journal has %+v", entries)
	}
}
