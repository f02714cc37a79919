package sdktest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/endpointcreds"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// token makes a token that lasts for a time.
func (w world) token(lifetime time.Duration) simcloud.Token {
	w.Helper()
	return must[simcloud.Result[simcloud.Token]](w)(w.native.CreateToken(w.Context(), simcloud.TokenSpec{
		Name: "t", Role: simcloud.RoleWriter, Lifetime: simcloud.Duration(lifetime),
	})).Resource
}

// fromFile returns a client whose credentials are those of the endpoint for the token in a file, as AWS' client has them that
// is configured by AWS_CONTAINER_CREDENTIALS_FULL_URI and AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE.
func (w world) fromFile(file string) *ec2.Client {
	provider := endpointcreds.New(w.cloud.URL()+"/aws/credentials", func(o *endpointcreds.Options) {
		o.Retryer = aws.NopRetryer{}
		o.AuthorizationTokenProvider = endpointcreds.TokenProviderFunc(func() (string, error) {
			token, err := os.ReadFile(file)
			return string(token), err
		})
	})
	return w.dial(aws.NewCredentialsCache(provider, func(o *aws.CredentialsCacheOptions) { o.ExpiryWindow = 5 * time.Minute }), aws.NopRetryer{})
}

// TestTokenInFile: a client goes on with a new token in the file, though the old one is good no more, and sees why it is refused.
func TestTokenInFile(t *testing.T) {
	t.Parallel()
	w := open(t)
	file := filepath.Join(t.TempDir(), "token")
	use := func(secret string) {
		if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cloud := w.fromFile(file)
	first, second := w.token(0), w.token(0)
	use(first.Secret)
	must[*ec2.DescribeVpcsOutput](t)(cloud.DescribeVpcs(t.Context(), nil))
	must[simcloud.Result[simcloud.Token]](t)(w.native.RevokeToken(t.Context(), first.ID))
	_, err := cloud.DescribeVpcs(t.Context(), nil)
	refused(t, err, "InvalidToken")
	use(second.Secret)
	must[*ec2.DescribeVpcsOutput](t)(cloud.DescribeVpcs(t.Context(), nil))
	must[simcloud.Result[simcloud.Token]](t)(w.native.RotateToken(t.Context(), second.ID, simcloud.TokenRotation{Grace: 1}))
	_, err = cloud.DescribeVpcs(t.Context(), nil)
	refused(t, err, "ExpiredToken")
}
