package sdktest

import (
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/aws-sdk-go-v2/service/sts/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// sts returns a client of STS with a token.
func (w world) sts(token string) *sts.Client {
	return sts.New(sts.Options{
		Region: "region-1", BaseEndpoint: aws.String(w.cloud.URL() + "/aws"), Retryer: aws.NopRetryer{}, HTTPClient: w.sent,
		Credentials: credentials("simcloud", token), APIOptions: w.answers.options(),
	})
}

// roleOf is the ARN of a role in the account that the first project is.
func (w world) roleOf() string {
	w.Helper()
	return "arn:aws:iam::" + aws.ToString(must[*sts.GetCallerIdentityOutput](w)(w.sts(w.cloud.Token()).GetCallerIdentity(w.Context(), nil)).Account) + ":role/ccm"
}

func tourOfSTS() []stop {
	assume := func(role string) func(w world) error {
		return func(w world) error {
			return last(w.sts(w.cloud.Token()).AssumeRole(w.Context(), &sts.AssumeRoleInput{RoleArn: &role, RoleSessionName: aws.String("aws-go-sdk-1")}))
		}
	}
	return []stop{
		{"identity", func(w world) error {
			return last(w.sts(w.cloud.Token()).GetCallerIdentity(w.Context(), nil))
		}, ""},
		{"role", func(w world) error { return assume(w.roleOf())(w) }, ""},
		{"role-elsewhere", assume("arn:aws:iam::123456789012:role/ccm"), "AccessDenied"},
	}
}

// TestSessions: AWS' client signs with the credentials of a role, as a CCM does that is configured with one.
func TestSessions(t *testing.T) {
	t.Parallel()
	w := open(t)
	token := w.token(time.Hour)
	role := w.roleOf()
	for name, provider := range map[string]aws.CredentialsProvider{
		"role":         stscreds.NewAssumeRoleProvider(w.sts(token.Secret), role),
		"web identity": stscreds.NewWebIdentityRoleProvider(w.sts(""), role, identity(token.Secret)),
	} {
		got, err := provider.Retrieve(t.Context())
		if left := time.Until(got.Expires); err != nil || got.SessionToken != token.Secret || !got.CanExpire || left <= 0 || left > time.Hour {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		must[*ec2.DescribeVpcsOutput](t)(w.dial(provider, aws.NopRetryer{}).DescribeVpcs(t.Context(), nil))
	}
	must[simcloud.Result[simcloud.Token]](t)(w.native.RotateToken(t.Context(), token.ID, simcloud.TokenRotation{Grace: 1}))
	_, err := w.sts(token.Secret).GetCallerIdentity(t.Context(), nil)
	refused(t, err, "ExpiredToken")
	_, err = w.sts("guess").GetCallerIdentity(t.Context(), nil)
	refused(t, err, "InvalidClientTokenId")
	ask := func(secret string) error {
		return last(w.sts("").AssumeRoleWithWebIdentity(t.Context(), &sts.AssumeRoleWithWebIdentityInput{RoleArn: &role, RoleSessionName: aws.String("x1"), WebIdentityToken: &secret}))
	}
	var ended *types.ExpiredTokenException
	var unknown *types.InvalidIdentityTokenException
	if err := ask(token.Secret); !errors.As(err, &ended) {
		t.Errorf("with an expired token: %v", err)
	}
	if err := ask("guess"); !errors.As(err, &unknown) {
		t.Errorf("with an unknown token: %v", err)
	}
}

// identity is a token for the provider of web identities.
type identity string

// GetIdentityToken implements stscreds.IdentityTokenRetriever.
func (i identity) GetIdentityToken() ([]byte, error) { return []byte(i), nil }
