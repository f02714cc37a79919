package sts

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type getCallerIdentityRequest struct{}

// identity is who a caller is: a user whose name is the id of its token, in the account of its project.
type identity struct {
	ARN     string `aws:"Arn"`
	UserID  string `aws:"UserId"`
	Account string `aws:"Account"`
}

func getCallerIdentity(c service.Call, _ getCallerIdentityRequest) (identity, error) {
	return identityOf(simcloud.CallerFrom(c.Ctx())), nil
}

func identityOf(caller simcloud.Caller) identity {
	account := service.Account(caller.Project)
	return identity{
		ARN: "arn:aws:iam::" + account + ":user/" + string(caller.Token), UserID: fmt.Sprintf("AIDASIMCLOUD%08d", service.Number(caller.Token)), Account: account,
	}
}

// role is what a request says of the role and the session.
type role struct {
	ARN      string `aws:"RoleArn,required"`
	Session  string `aws:"RoleSessionName,required"`
	Duration *int   `aws:"DurationSeconds"`
}

type assumeRoleRequest struct {
	role
	// ExternalID is for roles whose owner asks for it: none does.
	ExternalID string `aws:"ExternalId"`
}

// session is the answer to a request for credentials.
type session struct {
	Credentials service.Credentials `aws:"Credentials"`
	Role        assumedRole         `aws:"AssumedRoleUser"`
	Provider    string              `aws:"Provider"`
	Audience    string              `aws:"Audience"`
	Subject     string              `aws:"SubjectFromWebIdentityToken"`
}

type assumedRole struct {
	ID  string `aws:"AssumedRoleId"`
	ARN string `aws:"Arn"`
}

func assumeRole(c service.Call, in assumeRoleRequest) (session, error) { return in.assume(c) }

type webIdentityRequest struct {
	role
	Token    string `aws:"WebIdentityToken,required"`
	Provider string `aws:"ProviderId"`
}

// assumeByWebIdentity takes a token of the cloud for that of an identity provider.
func assumeByWebIdentity(c service.Call, in webIdentityRequest) (session, error) {
	out, err := in.assume(c)
	out.Provider, out.Audience, out.Subject = "simcloud", "sts.amazonaws.com", string(simcloud.CallerFrom(c.Ctx()).Token)
	return out, err
}

var (
	roleARNs     = regexp.MustCompile(`^arn:aws:iam::([0-9]{12}):role/([\w+=,.@/-]{1,512})$`)
	sessionNames = regexp.MustCompile(`^[\w+=,.@-]{2,64}$`)
)

// The bounds of DurationSeconds, and what it is when a request says nothing of it.
const (
	leastDuration = 900
	mostDuration  = 43_200
	unsaid        = 3600
)

// assume returns credentials for a role. Each account has any role: it may do what the caller may, no more and no less.
func (r role) assume(c service.Call) (out session, err error) {
	parts := roleARNs.FindStringSubmatch(r.ARN)
	seconds := unsaid
	if r.Duration != nil {
		seconds = *r.Duration
	}
	switch {
	case parts == nil:
		return out, service.Refuse(simcloud.Invalid, "ValidationError", "RoleArn is %.200q: must be such as arn:aws:iam::123456789012:role/name", r.ARN)
	case !sessionNames.MatchString(r.Session):
		return out, service.Refuse(simcloud.Invalid, "ValidationError", "RoleSessionName is %.100q: must have 2 to 64 letters, digits and the characters _+=,.@-", r.Session)
	case seconds < leastDuration || seconds > mostDuration:
		return out, service.Refuse(simcloud.Invalid, "ValidationError", "DurationSeconds is %d: must be between %d and %d", seconds, leastDuration, mostDuration)
	}
	who := identityOf(simcloud.CallerFrom(c.Ctx()))
	if parts[1] != who.Account {
		return out, simcloud.Errorf(simcloud.Forbidden, "", "User: %s is not authorized to perform: sts:AssumeRole on resource: %s", who.ARN, r.ARN)
	}
	out.Credentials, err = service.Issue(c.Ctx(), c.Lifetime, c.Token(), time.Duration(seconds)*time.Second)
	name := parts[2][strings.LastIndex(parts[2], "/")+1:]
	out.Role = assumedRole{
		ID: "AROA" + strings.TrimPrefix(who.UserID, "AIDA") + ":" + r.Session, ARN: "arn:aws:sts::" + who.Account + ":assumed-role/" + name + "/" + r.Session,
	}
	return out, err
}
