package aws_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// signature is a header Authorization as the SDK writes it.
func signature(key, service string) string {
	return "AWS4-HMAC-SHA256 Credential=" + key + "/20261125/region-1/" + service + "/aws4_request, SignedHeaders=host, Signature=00"
}

// TestRequestsThatAreNone: each gets an error in XML and a status that no client takes for success.
func TestRequestsThatAreNone(t *testing.T) {
	t.Parallel()
	w := open(t)
	describe := form(ec2, "DescribeInstances")
	for _, test := range []struct {
		method, path, body string
		code               string
	}{
		{"POST", "/aws", form(ec2, "FlyToTheMoon"), "InvalidAction"},
		{"POST", "/aws", form(ec2, "DescribeVolumes"), "InvalidAction"},
		{"POST", "/aws", form(elb, "DescribeInstances"), "InvalidAction"},
		{"POST", "/aws", form(elbv2, "DescribeRules"), "InvalidAction"},
		{"POST", "/aws", "Version=" + ec2, "MissingAction"},
		{"POST", "/aws", "", "NoSuchVersion"},
		{"POST", "/aws", form("2011-06-16", "GetCallerIdentity"), "NoSuchVersion"},
		{"POST", "/aws", "{}", "NoSuchVersion"},
		{"POST", "/aws/moons", describe, "UnsupportedOperation"},
		{"GET", "/aws?" + describe, "", "UnsupportedOperation"},
		{"POST", "/aws/", describe + "&Colour=red", "UnknownParameter"},
		{"POST", "/aws", describe + "&InstanceId=i-1", "InvalidParameterValue"},
		{"POST", "/aws", describe + "&InstanceId.1=i-1&InstanceId.1=i-2", "InvalidQueryParameter"},
		{"POST", "/aws", describe + "&InstanceId.1=%zz", "MalformedQueryString"},
		{"POST", "/aws", describe + "&" + strings.Repeat("a.", 20) + "a=1", "MalformedQueryString"},
		{"POST", "/aws", describe + "&A=" + strings.Repeat("a", 1<<20), "MalformedQueryString"},
		{"POST", "/aws", form(ec2, "CreateRoute", "RouteTableId", "rtb-1", "DestinationCidrBlock", "10.1.0.0/24"), "MissingParameter"},
	} {
		res := w.send(test.method, test.path, test.body, "X-Amz-Security-Token", w.cloud.Token())
		if res.status != http.StatusBadRequest || res.code() != test.code || res.header.Get("Content-Type") != "text/xml;charset=UTF-8" {
			t.Errorf("%s %s %.80s: %d %s, want %s", test.method, test.path, test.body, res.status, res.body, test.code)
		}
	}
	if changed := w.journal("Create*"); len(changed) != 0 && changed[0].Committed {
		t.Errorf("something was made: %+v", changed)
	}
}

// TestEnvelopes: an error is in the envelope of the service that the request names, or is signed for.
func TestEnvelopes(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, test := range []struct{ body, scope, root string }{
		{form(ec2, "Jump"), "ec2", "Response"},
		{form(elb, "Jump"), "elasticloadbalancing", "ErrorResponse"},
		{form(elbv2, "Jump"), "elasticloadbalancing", "ErrorResponse"},
		{form("1999", "Jump"), "elasticloadbalancing", "ErrorResponse"},
		{form("1999", "Jump"), "ec2", "Response"},
		{"A=%zz", "elasticloadbalancing", "ErrorResponse"},
		{"A=%zz", "", "Response"},
	} {
		res := w.post(test.body, "Authorization", signature(w.cloud.Token(), test.scope))
		if res.root.XMLName.Local != test.root || res.text("Errors/Error/Message")+res.text("Error/Message") == "" {
			t.Errorf("%s: %s, want %s", test.body, res.body, test.root)
		}
		if id := res.header.Get("X-Amzn-Requestid"); id == "" || res.text("RequestID")+res.text("RequestId") != id {
			t.Errorf("%s: the request is %q in %s", test.body, id, res.body)
		}
	}
}

// TestTokens: a token of the cloud is the session token, or else the key of the signature.
func TestTokens(t *testing.T) {
	t.Parallel()
	w := open(t)
	reader := must[simcloud.Result[simcloud.Token]](t)(w.native.CreateToken(t.Context(), simcloud.TokenSpec{Name: "reader", Role: simcloud.RoleReader})).Resource
	describe, change := form(ec2, "DescribeInstances"), form(ec2, "DeleteRoute", "RouteTableId", "rtb-1", "DestinationCidrBlock", "10.0.0.0/24")
	elsewhere := form(elb, "Jump")
	for _, test := range []struct {
		body   string
		header []string
		status int
		code   string
	}{
		{describe, []string{"X-Amz-Security-Token", w.cloud.Token()}, 200, ""},
		{describe, []string{"X-Amz-Security-Token", w.cloud.Token(), "Authorization", signature("sim", "ec2")}, 200, ""},
		{describe, []string{"Authorization", signature(w.cloud.Token(), "ec2")}, 200, ""},
		{describe, []string{"X-Amz-Security-Token", reader.Secret}, 200, ""},
		{change, []string{"X-Amz-Security-Token", reader.Secret}, 403, "UnauthorizedOperation"},
		{describe, []string{"X-Amz-Security-Token", "guess"}, 401, "AuthFailure"},
		{describe, []string{"Authorization", signature("guess", "ec2")}, 401, "AuthFailure"},
		{describe, nil, 403, "MissingAuthenticationToken"},
		{describe, []string{"Authorization", "Bearer " + w.cloud.Token()}, 403, "MissingAuthenticationToken"},
		{elsewhere, []string{"X-Amz-Security-Token", "guess"}, 403, "InvalidClientTokenId"},
		// What is wrong beside it is told to no caller without a token.
		{elsewhere, nil, 403, "MissingAuthenticationToken"},
		{"", nil, 403, "MissingAuthenticationToken"},
		{"%zz", nil, 403, "MissingAuthenticationToken"},
		{describe + "&Colour=red", nil, 403, "MissingAuthenticationToken"},
		{describe + "&A=" + strings.Repeat("a", 1<<20), nil, 403, "MissingAuthenticationToken"},
	} {
		if res := w.post(test.body, test.header...); res.status != test.status || res.code() != test.code {
			t.Errorf("%s with %.40v: %d %s, want %d %s", test.body, test.header, res.status, res.body, test.status, test.code)
		}
	}
}

// TestJournal: an entry has the name of the action beside the cloud's operation and resource.
func TestJournal(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.instance(simcloud.InstanceSpec{Name: "node-2"})
	w.does(ec2, "DescribeInstances", "InstanceId.1", "i-1")
	w.does(ec2, "DescribeInstances", "InstanceId.1", "i-1", "InstanceId.2", "i-2")
	w.does(ec2, "ModifyInstanceAttribute", "InstanceId", "i-2", "SourceDestCheck.Value", "false")
	w.ask(ec2, "Jump")
	w.ask(ec2, "DescribeVolumes")
	var got []string
	for _, e := range w.journal("aws:*") {
		if e.Request != "POST /aws" || e.Dialect != "aws" {
			t.Errorf("the entry is %+v", e)
		}
		mark := " "
		if e.Committed {
			mark = " committed "
		}
		got = append(got, e.DialectOperation+" "+e.Operation+mark+e.Resource)
	}
	want := []string{
		"ec2:DescribeInstances GetInstance instance/i-1", "ec2:DescribeInstances ListInstances instance",
		"ec2:ModifyInstanceAttribute UpdateInstance committed instance/i-2", "ec2:Jump Unknown ", "ec2:DescribeVolumes Unknown ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the journal has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestDate: the header is real time, from which the SDK takes the skew of its clock, while the cloud's stands still.
func TestDate(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.ManualClock())
	if _, err := w.native.AdvanceClock(t.Context(), simcloud.Duration(1000*time.Hour)); err != nil {
		t.Fatal(err)
	}
	for _, res := range []sent{w.does(ec2, "DescribeInstances"), w.ask(ec2, "Jump")} {
		date, err := http.ParseTime(res.header.Get("Date"))
		if off := time.Since(date); err != nil || off < -time.Minute || off > 10*time.Minute {
			t.Errorf("the date is %q, %v", res.header.Get("Date"), err)
		}
	}
}

// TestRates: each service refuses in its own words, and no header tells of it.
func TestRates(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.ManualClock())
	rates := []simcloud.Rate{{Class: "read", PerSecond: 1, Burst: 1}}
	must[simcloud.Config](t)(w.native.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Rates: &rates}))
	first := w.does(ec2, "DescribeAvailabilityZones")
	second := w.refused("RequestLimitExceeded", http.StatusServiceUnavailable, ec2, "DescribeAvailabilityZones")
	w.refused("Throttling", http.StatusBadRequest, elb, "Jump")
	for _, res := range []sent{first, second} {
		if res.header.Get("RateLimit-Limit") != "" || res.header.Get("Retry-After") != "" {
			t.Errorf("the headers are %v", res.header)
		}
	}
}

// TestDescribe: what is not simulated is counted, and the configuration names what a new cloud has.
func TestDescribe(t *testing.T) {
	t.Parallel()
	d := aws.Describe()
	missing := map[string]bool{}
	for _, o := range d.Missing() {
		missing[o.Name] = true
	}
	if !missing["ec2:DescribeVolumes"] || !missing["elbv2:CreateRule"] || missing["ec2:DescribeInstances"] {
		t.Errorf("missing are %v", missing)
	}
	for _, o := range d.Operations {
		if _, known := simcloud.EndpointOf(o.Core); !known && !missing[o.Name] && (o.Core != "" || o.Standing != dialect.Derived) {
			t.Errorf("%s stands for %q, which the cloud does not have", o.Name, o.Core)
		}
	}
	if len(d.Files) != 1 {
		t.Fatalf("the files are %+v", d.Files)
	}
	w := open(t)
	zones, vpcs, subnets := w.does(ec2, "DescribeAvailabilityZones"), w.does(ec2, "DescribeVpcs"), w.does(ec2, "DescribeSubnets")
	for _, line := range []string{
		"Region = " + zones.texts("availabilityZoneInfo/item/regionName")[0], "VPC = " + vpcs.texts("vpcSet/item/vpcId")[0],
		"SubnetID = " + subnets.texts("subnetSet/item/subnetId")[0], "KubernetesClusterID = simcloud",
		"RouteTableID = " + w.does(ec2, "DescribeRouteTables").texts("routeTableSet/item/routeTableId")[0],
	} {
		if !strings.Contains(d.Files[0].Content, line+"\n") {
			t.Errorf("the configuration does not have %q:\n%s", line, d.Files[0].Content)
		}
	}
}
