package sdktest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// canned answers each request in the same way.
type canned struct {
	status int
	body   string
}

// Do implements aws.HTTPClient.
func (c canned) Do(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: c.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(c.body))}, nil
}

// TestAnswers: what is wrong with an answer is found, and nothing of an answer as AWS sends it.
func TestAnswers(t *testing.T) {
	t.Parallel()
	zones := func(in string) string {
		return `<DescribeAvailabilityZonesResponse xmlns="x"><requestId>r</requestId><availabilityZoneInfo>` + in + `</availabilityZoneInfo></DescribeAvailabilityZonesResponse>`
	}
	const attributes = `<DescribeLoadBalancerAttributesResponse><DescribeLoadBalancerAttributesResult><LoadBalancerAttributes>` +
		`<CrossZoneLoadBalancing><Enabled>%s</Enabled></CrossZoneLoadBalancing></LoadBalancerAttributes></DescribeLoadBalancerAttributesResult>` +
		`<ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></DescribeLoadBalancerAttributesResponse>`
	for _, c := range []struct {
		name   string
		call   func(context.Context, canned, *answers) error
		answer string
		want   []string
	}{
		{"right", describeZones, zones(`<item><zoneName>a</zoneName><zoneState>available</zoneState><messageSet></messageSet></item>`), nil},
		{"none", describeZones, zones(``), nil},
		{"misspelt", describeZones, zones(`<item><zoneNames>a</zoneNames></item>`), []string{
			"ec2:DescribeAvailabilityZones: the client does not read availabilityZoneInfo/item/zoneNames, which has the text a",
			"ec2:DescribeAvailabilityZones: no answer of EC2 has an element zoneNames",
		}},
		{"misplaced", describeZones, zones(`<item><zoneName>a</zoneName><instanceId>i-1</instanceId></item>`), []string{
			"ec2:DescribeAvailabilityZones: the client does not read availabilityZoneInfo/item/instanceId, which has the text i-1",
		}},
		{"an empty list misplaced", describeZones, zones(`<item><zoneName>a</zoneName><tagSet></tagSet></item>`), []string{
			"ec2:DescribeAvailabilityZones: the client does not read availabilityZoneInfo/item/tagSet, which has the text ",
		}},
		{"a letter", describeZones, zones(`<item><ZoneName>a</ZoneName></item>`), []string{"ec2:DescribeAvailabilityZones: no answer of EC2 has an element ZoneName"}},
		{"another value", describeZones, zones(`<item><zoneState>up</zoneState></item>`), []string{
			`ec2:DescribeAvailabilityZones: "up" is no types.AvailabilityZoneState: must be one of [available information impaired unavailable constrained]`,
		}},
		{"another root", describeZones, `<DescribeZonesResponse><requestId>r</requestId></DescribeZonesResponse>`, []string{
			"ec2:DescribeAvailabilityZones: the answer is a DescribeZonesResponse, want DescribeAvailabilityZonesResponse",
		}},
		{"false", describeAttributes, fmt.Sprintf(attributes, "false"), nil},
		{"false misspelt", describeAttributes, strings.ReplaceAll(fmt.Sprintf(attributes, "false"), "Enabled", "On"), []string{
			"elb:DescribeLoadBalancerAttributes: the client does not read DescribeLoadBalancerAttributesResult/LoadBalancerAttributes/CrossZoneLoadBalancing/On, which has the text false",
			"elb:DescribeLoadBalancerAttributes: no answer of Elastic Load Balancing has an element On",
		}},
		{"true", describeAttributes, fmt.Sprintf(attributes, "true"), nil},
		{"no field", deleteRoute, `<DeleteRouteResponse><requestId>r</requestId><return>true</return></DeleteRouteResponse>`, nil},
		{"beside the result", identityOf, `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>a</Arn></GetCallerIdentityResult><Account>1</Account></GetCallerIdentityResponse>`, []string{
			"sts:GetCallerIdentity: the client does not read Account, which has the text 1",
		}},
	} {
		if got := checked(t.Context(), c.call, canned{http.StatusOK, c.answer}); !slices.Equal(got, c.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// TestAnsweredErrors: an error has a code and a message, and nothing that clients do not read.
func TestAnsweredErrors(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`<Response><Errors><Error><Code>C</Code><Message>m</Message></Error></Errors><RequestID>r</RequestID></Response>`: "",
		`<Response><Errors><Error><Code>C</Code></Error></Errors><RequestID>r</RequestID></Response>`:                     "ec2:DescribeAvailabilityZones: the error has no Message",
		`<Response><Errors><Error><Code>C</Code><Message>m</Message><Kind>k</Kind></Error></Errors></Response>`: "ec2:DescribeAvailabilityZones: an error has no Errors/Error/Kind\n" +
			"ec2:DescribeAvailabilityZones: no answer of EC2 has an element Kind",
		`<Response><Error><Code>C</Code><Message>m</Message></Error></Response>`: "ec2:DescribeAvailabilityZones: the client has read the Code UnknownError of the error, which is C\n" +
			"ec2:DescribeAvailabilityZones: the client has read the Message UnknownError of the error, which is m",
	} {
		if got := strings.Join(checked(t.Context(), describeZones, canned{http.StatusBadRequest, body}), "\n"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", body, got, want)
		}
	}
}

// checked is what is wrong with an answer.
func checked(ctx context.Context, call func(context.Context, canned, *answers) error, answer canned) (problems []string) {
	a := &answers{done: map[string]bool{}, report: func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }}
	_ = call(ctx, answer, a) // what is checked is not whether it succeeds
	return problems
}

func describeZones(ctx context.Context, c canned, a *answers) error {
	return last(ec2.New(ec2.Options{Region: "r", HTTPClient: c, Credentials: credentials("k", ""), Retryer: aws.NopRetryer{}, APIOptions: a.options()}).DescribeAvailabilityZones(ctx, nil))
}

func deleteRoute(ctx context.Context, c canned, a *answers) error {
	in := &ec2.DeleteRouteInput{RouteTableId: aws.String("rtb-1")}
	return last(ec2.New(ec2.Options{Region: "r", HTTPClient: c, Credentials: credentials("k", ""), Retryer: aws.NopRetryer{}, APIOptions: a.options()}).DeleteRoute(ctx, in))
}

func describeAttributes(ctx context.Context, c canned, a *answers) error {
	in := &elb.DescribeLoadBalancerAttributesInput{LoadBalancerName: name}
	return last(elb.New(elb.Options{Region: "r", HTTPClient: c, Credentials: credentials("k", ""), Retryer: aws.NopRetryer{}, APIOptions: a.options()}).DescribeLoadBalancerAttributes(ctx, in))
}

func identityOf(ctx context.Context, c canned, a *answers) error {
	return last(sts.New(sts.Options{Region: "r", HTTPClient: c, Credentials: credentials("k", ""), Retryer: aws.NopRetryer{}, APIOptions: a.options()}).GetCallerIdentity(ctx, nil))
}
