package service

import (
	"context"
	"fmt"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Lifetime tells until when a token of the cloud is good, in real time; zero for a token without an end.
type Lifetime func(ctx context.Context, token simcloud.ID) (time.Time, error)

// Credentials are what a client signs its requests with, for a time.
type Credentials struct {
	KeyID   string    `aws:"AccessKeyId" json:"AccessKeyId"`
	Secret  string    `aws:"SecretAccessKey" json:"SecretAccessKey"`
	Token   string    `aws:"SessionToken" json:"Token"`
	Expires time.Time `aws:"Expiration" json:"Expiration"`
}

// Issue returns credentials whose session token is a token of the cloud: the caller's own, which it has sent. No other one could be:
// the cloud keeps hashes of its tokens, and roles that narrow what a token may do do not exist in it. Signatures are not checked,
// so the key and its secret are the same for all. The credentials end with the token, or after a time if that is earlier.
func Issue(ctx context.Context, lifetime Lifetime, token string, life time.Duration) (Credentials, error) {
	caller := simcloud.CallerFrom(ctx)
	issued := Credentials{
		KeyID: fmt.Sprintf("ASIASIMCLOUD%08d", Number(caller.Token)), Secret: "simcloud", Token: token, Expires: time.Now().Add(life).UTC().Truncate(time.Second),
	}
	if lifetime == nil {
		return issued, nil
	}
	end, err := lifetime(ctx, caller.Token)
	if err == nil && !end.IsZero() && end.Before(issued.Expires) {
		issued.Expires = end.UTC().Truncate(time.Second)
	}
	return issued, err
}
