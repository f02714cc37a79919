package aws_test

import (
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

const sts = "2011-06-15"

// assume is a request for a role of an account.
func assume(account string, more ...string) []string {
	return append([]string{"RoleArn", "arn:aws:iam::" + account + ":role/team/ccm", "RoleSessionName", "session"}, more...)
}

// TestCallerIdentity: a caller is a user of the account that its project is.
func TestCallerIdentity(t *testing.T) {
	t.Parallel()
	w := open(t)
	const in = "GetCallerIdentityResult/"
	token := w.token(simcloud.RoleReader, 0)
	got := w.post(form(sts, "GetCallerIdentity"), "X-Amz-Security-Token", token.Secret)
	account := got.text(in + "Account")
	got.has(in+"Arn", "arn:aws:iam::"+account+":user/"+string(token.ID), in+"UserId", "AIDASIMCLOUD00000002")
	other := must[simcloud.Result[simcloud.Project]](t)(w.native.CreateProject(t.Context(), simcloud.ProjectSpec{Name: "other"})).Resource
	foreign := must[simcloud.Result[simcloud.Token]](t)(w.native.CreateToken(t.Context(), simcloud.TokenSpec{Name: "f", Role: simcloud.RoleReader, Project: other.ID})).Resource
	if there := w.post(form(sts, "GetCallerIdentity"), "X-Amz-Security-Token", foreign.Secret).text(in + "Account"); len(account) != 12 || there == account {
		t.Errorf("the accounts of two projects are %q and %q", account, there)
	}
	w.refused("InvalidAction", 400, sts, "GetSessionToken")
	w.refused("ValidationError", 400, sts, "GetCallerIdentity", "Colour", "red")
}

// TestAssumeRole: the session of a role has the token of the caller, until that ends. All of that is real time.
func TestAssumeRole(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.ManualClock())
	account := w.does(sts, "GetCallerIdentity").text("GetCallerIdentityResult/Account")
	for _, test := range []struct {
		lifetime, want time.Duration
		more           []string
	}{
		{0, time.Hour, nil}, {0, 15 * time.Minute, []string{"DurationSeconds", "900"}}, {20 * time.Minute, 20 * time.Minute, nil},
	} {
		token := w.token(simcloud.RoleWriter, test.lifetime)
		for _, action := range []string{"AssumeRole", "AssumeRoleWithWebIdentity"} {
			fields, header := assume(account, test.more...), []string{"X-Amz-Security-Token", token.Secret}
			if action != "AssumeRole" {
				fields, header = append(fields, "WebIdentityToken", token.Secret), nil
			}
			got, in := w.post(form(sts, action, fields...), header...), action+"Result/"
			got.has(in+"Credentials/SessionToken", token.Secret, in+"Credentials/SecretAccessKey", "simcloud",
				in+"AssumedRoleUser/Arn", "arn:aws:sts::"+account+":assumed-role/ccm/session")
			w.near(must[time.Time](t)(time.Parse(time.RFC3339, got.text(in+"Credentials/Expiration"))), test.want)
			w.post(form(ec2, "DescribeVpcs"), "X-Amz-Security-Token", got.text(in+"Credentials/SessionToken")).has("vpcSet/item/vpcId", "vpc-1")
		}
	}
}

func TestAssumeRoleIsRefused(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.ManualClock())
	account := w.does(sts, "GetCallerIdentity").text("GetCallerIdentityResult/Account")
	expired := w.token(simcloud.RoleWriter, time.Hour)
	must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Hour)))
	for _, test := range []struct {
		action, token string
		fields        []string
		status        int
		code          string
	}{
		{"AssumeRole", w.cloud.Token(), assume("123456789012"), 403, "AccessDenied"},
		{"AssumeRole", w.cloud.Token(), assume(account, "RoleArn", "ccm"), 400, "ValidationError"},
		{"AssumeRole", w.cloud.Token(), assume(account, "RoleSessionName", "a b"), 400, "ValidationError"},
		{"AssumeRole", w.cloud.Token(), assume(account, "DurationSeconds", "899"), 400, "ValidationError"},
		{"AssumeRole", w.cloud.Token(), assume(account, "DurationSeconds", "43201"), 400, "ValidationError"},
		{"AssumeRole", w.cloud.Token(), assume(account, "Policy", "{}"), 400, "ValidationError"},
		{"AssumeRole", w.cloud.Token(), assume(account)[:2], 400, "ValidationError"},
		{"AssumeRole", "guess", assume(account), 403, "InvalidClientTokenId"},
		{"AssumeRole", expired.Secret, assume(account), 403, "ExpiredToken"},
		{"AssumeRoleWithWebIdentity", w.cloud.Token(), assume(account, "WebIdentityToken", "guess"), 400, "InvalidIdentityToken"},
		{"AssumeRoleWithWebIdentity", w.cloud.Token(), assume(account, "WebIdentityToken", expired.Secret), 400, "ExpiredTokenException"},
		{"AssumeRoleWithWebIdentity", w.cloud.Token(), assume(account), 400, "InvalidIdentityToken"},
		{"AssumeRoleWithWebIdentity", "", assume("123456789012", "WebIdentityToken", w.cloud.Token()), 403, "AccessDenied"},
	} {
		res := w.post(form(sts, test.action, test.fields...), "X-Amz-Security-Token", test.token)
		if res.status != test.status || res.code() != test.code {
			t.Errorf("%s %v: %d %s, want %d %s", test.action, test.fields, res.status, res.body, test.status, test.code)
		}
	}
}
