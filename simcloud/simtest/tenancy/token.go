package tenancy

import (
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type tokenResult = simcloud.Result[simcloud.Token]

func testTokens(s suite.Runner) {
	s.Test("CreateToken/OK", func(f *suite.Fixture) {
		f.Project()
		spec := simcloud.TokenSpec{Name: "ci", Project: "p", Role: simcloud.RoleWriter, Labels: map[string]string{"k": "v"}}
		r := suite.Must[tokenResult](f)(f.CreateToken(f.Ctx, spec))
		token := r.Resource
		if len(token.Secret) < 32 {
			f.Errorf("the secret %q is short", token.Secret)
		}
		f.Equal("token", []any{token.Name, token.Project, token.Role, token.State, token.Labels, token.Expires},
			[]any{"ci", simcloud.ID("p"), simcloud.RoleWriter, simcloud.TokenActive, spec.Labels, time.Time{}})
		token.Secret = ""
		f.Equal("as read", f.MustGetToken(token.ID), token)
		f.Done(r.Operation, "CreateToken", simcloud.KindToken, token.ID)
	})
	s.Test("CreateToken/OwnProject", func(f *suite.Fixture) {
		f.Equal("project", f.MustGetToken(suite.MakeToken(f)).Project, simcloud.DefaultProject)
	})
	s.Test("CreateToken/Invalid", func(f *suite.Fixture) {
		_, err := f.CreateToken(f.Ctx, simcloud.TokenSpec{Name: "-", Role: "king", Lifetime: -1, Project: "-"})
		for _, field := range []string{"name", "role", "lifetime", "project"} {
			f.WantField(err, field)
		}
		_, err = f.CreateToken(f.Ctx, simcloud.TokenSpec{Name: "t", Role: simcloud.RoleReader, Project: "unknown"})
		f.WantField(err, "project")
	})
	s.Test("CreateToken/SecretOnce", func(f *suite.Fixture) {
		key, spec := simcloud.IdempotencyKey("key"), simcloud.TokenSpec{Name: "t", Role: simcloud.RoleReader}
		first := suite.Must[tokenResult](f)(f.CreateToken(f.Ctx, spec, key))
		first.Resource.Secret = ""
		f.Equal("the second answer", suite.Must[tokenResult](f)(f.CreateToken(f.Ctx, spec, key)), first)
	})
	s.Test("GetToken/NotFound", func(f *suite.Fixture) {
		_, err := f.GetToken(f.Ctx, "tok-99")
		f.Want(err, simcloud.NotFound)
		f.WantResource(err, "token/tok-99")
	})
	testTokenExpiry(s)
	testTokenRotation(s)
	testTokenRevocation(s)
}

func testTokenExpiry(s suite.Runner) {
	s.TestSlow("GetToken/Expired", func(f *suite.Fixture) {
		token := f.Token(simcloud.TokenSpec{Name: "t", Role: simcloud.RoleReader, Lifetime: simcloud.Duration(time.Hour)})
		f.Equal("expires", token.Expires, token.Created.Add(time.Hour))
		f.Advance(time.Hour - 1)
		f.Equal("just before", f.MustGetToken(token.ID).State, simcloud.TokenActive)
		f.Advance(1)
		f.Equal("then", f.MustGetToken(token.ID).State, simcloud.TokenExpired)
		for state, want := range map[simcloud.TokenState]int{simcloud.TokenExpired: 1, simcloud.TokenRevoked: 0} {
			page := suite.Must[simcloud.Page[simcloud.Token]](f)(f.ListTokens(f.Ctx, simcloud.ListOptions{State: string(state), Name: "t"}))
			f.Equal("listed as "+string(state), len(page.Items), want)
		}
	})
	s.TestSlow("RotateToken/Lifetime", func(f *suite.Fixture) {
		token := f.Token(simcloud.TokenSpec{Name: "t", Role: simcloud.RoleReader, Lifetime: 1})
		f.Advance(time.Hour)
		after := suite.Must[tokenResult](f)(f.RotateToken(f.Ctx, token.ID, simcloud.TokenRotation{Lifetime: simcloud.Duration(time.Minute)})).Resource
		f.Equal("state", after.State, simcloud.TokenActive)
		f.Equal("expires", after.Expires, after.Updated.Add(time.Minute))
	})
}

func testTokenRotation(s suite.Runner) {
	s.Test("RotateToken/OK", func(f *suite.Fixture) {
		before := f.Token(simcloud.TokenSpec{Name: "t", Role: simcloud.RoleReader})
		r := suite.Must[tokenResult](f)(f.RotateToken(f.Ctx, before.ID, simcloud.TokenRotation{}))
		if r.Resource.Secret == "" || r.Resource.Secret == before.Secret || r.Resource.Version <= before.Version {
			f.Errorf("rotated %+v to %+v", before, r.Resource)
		}
		f.Equal("expires", r.Resource.Expires, before.Expires)
		f.Done(r.Operation, "RotateToken", simcloud.KindToken, before.ID)
	})
	s.Test("RotateToken/Invalid", func(f *suite.Fixture) {
		_, err := f.RotateToken(f.Ctx, suite.MakeToken(f), simcloud.TokenRotation{Grace: -1, Lifetime: -1})
		f.WantField(err, "grace")
		f.WantField(err, "lifetime")
	})
	s.Test("RotateToken/Revoked", func(f *suite.Fixture) {
		id := suite.MakeToken(f)
		suite.Must[tokenResult](f)(f.RevokeToken(f.Ctx, id))
		_, err := f.RotateToken(f.Ctx, id, simcloud.TokenRotation{})
		f.Want(err, simcloud.Conflict)
		f.WantResource(err, simcloud.Ref(simcloud.KindToken, id))
	})
}

func testTokenRevocation(s suite.Runner) {
	s.Test("RevokeToken/OK", func(f *suite.Fixture) {
		id := suite.MakeToken(f)
		r := suite.Must[tokenResult](f)(f.RevokeToken(f.Ctx, id))
		f.Equal("state", f.MustGetToken(id).State, simcloud.TokenRevoked)
		f.Done(r.Operation, "RevokeToken", simcloud.KindToken, id)
		again := suite.Must[tokenResult](f)(f.RevokeToken(f.Ctx, id)).Resource
		f.Equal("once more", again, r.Resource)
	})
	s.Test("RevokeToken/LastAdmin", func(f *suite.Fixture) {
		admin := simcloud.TokenSpec{Name: "admin-2", Role: simcloud.RoleAdmin}
		f.Token(admin)
		tokens := suite.Must[[]simcloud.Token](f)(simcloud.ListAll(f.Ctx, f.ListTokens, simcloud.ListOptions{}))
		var left []simcloud.ID // with one that the caller has, which goes last
		for _, token := range tokens {
			left = append([]simcloud.ID{token.ID}, left...)
		}
		for _, id := range left[:len(left)-1] {
			suite.Must[tokenResult](f)(f.RevokeToken(f.Ctx, id))
		}
		last := left[len(left)-1]
		_, err := f.RevokeToken(f.Ctx, last)
		f.Want(err, simcloud.Conflict)
		f.WantResource(err, simcloud.Ref(simcloud.KindToken, last))
		_, err = f.DeleteToken(f.Ctx, last)
		f.Want(err, simcloud.Conflict)
		_, err = f.RotateToken(f.Ctx, last, simcloud.TokenRotation{Lifetime: simcloud.Duration(time.Hour)})
		f.Want(err, simcloud.Conflict)
		f.WantResource(err, simcloud.Ref(simcloud.KindToken, last))
		// One that expires is no substitute for one that does not; another that stays is.
		admin.Lifetime = simcloud.Duration(time.Minute)
		f.Token(admin)
		_, err = f.RotateToken(f.Ctx, last, simcloud.TokenRotation{Lifetime: simcloud.Duration(time.Hour)})
		f.Want(err, simcloud.Conflict)
		_, err = f.RevokeToken(f.Ctx, last)
		f.Want(err, simcloud.Conflict)
		f.WantResource(err, simcloud.Ref(simcloud.KindToken, last))
		_, err = f.DeleteToken(f.Ctx, last)
		f.Want(err, simcloud.Conflict)
		admin.Lifetime = 0
		f.Token(admin)
		suite.Must[tokenResult](f)(f.RotateToken(f.Ctx, last, simcloud.TokenRotation{Lifetime: simcloud.Duration(time.Hour), Grace: simcloud.Duration(time.Hour)}))
	})
	s.Test("DeleteToken/OK", func(f *suite.Fixture) {
		id := suite.MakeToken(f)
		f.Done(suite.Must[simcloud.Operation](f)(f.DeleteToken(f.Ctx, id)), "DeleteToken", simcloud.KindToken, id)
		_, err := f.GetToken(f.Ctx, id)
		f.Want(err, simcloud.NotFound)
		if next := suite.MakeToken(f); next == id {
			f.Errorf("%s is the id of two tokens", id)
		}
	})
}
