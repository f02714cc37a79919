package simtest

import (
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

type tokenResult = simcloud.Result[simcloud.Token]

func testTokens(s suite) {
	s.run("CreateToken/OK", func(f *fixture) {
		f.project()
		spec := simcloud.TokenSpec{Name: "ci", Project: "p", Role: simcloud.RoleWriter, Labels: map[string]string{"k": "v"}}
		r := must[tokenResult](f)(f.CreateToken(f.ctx, spec))
		token := r.Resource
		if len(token.Secret) < 32 {
			f.Errorf("the secret %q is short", token.Secret)
		}
		f.equal("token", []any{token.Name, token.Project, token.Role, token.State, token.Labels, token.Expires},
			[]any{"ci", simcloud.ID("p"), simcloud.RoleWriter, simcloud.TokenActive, spec.Labels, time.Time{}})
		token.Secret = ""
		f.equal("as read", f.getToken(token.ID), token)
		f.done(r.Operation, "CreateToken", simcloud.KindToken, token.ID)
	})
	s.run("CreateToken/OwnProject", func(f *fixture) {
		f.equal("project", f.getToken(aToken(f)).Project, simcloud.DefaultProject)
	})
	s.run("CreateToken/Invalid", func(f *fixture) {
		_, err := f.CreateToken(f.ctx, simcloud.TokenSpec{Name: "-", Role: "king", Lifetime: -1, Project: "-"})
		for _, field := range []string{"name", "role", "lifetime", "project"} {
			f.wantField(err, field)
		}
		_, err = f.CreateToken(f.ctx, simcloud.TokenSpec{Name: "t", Role: simcloud.RoleReader, Project: "unknown"})
		f.wantField(err, "project")
	})
	s.run("CreateToken/SecretOnce", func(f *fixture) {
		key, spec := simcloud.IdempotencyKey("key"), simcloud.TokenSpec{Name: "t", Role: simcloud.RoleReader}
		first := must[tokenResult](f)(f.CreateToken(f.ctx, spec, key))
		first.Resource.Secret = ""
		f.equal("the second answer", must[tokenResult](f)(f.CreateToken(f.ctx, spec, key)), first)
	})
	s.run("GetToken/NotFound", func(f *fixture) {
		_, err := f.GetToken(f.ctx, "tok-99")
		f.want(err, simcloud.NotFound)
		f.wantResource(err, "token/tok-99")
	})
	testTokenExpiry(s)
	testTokenRotation(s)
	testTokenRevocation(s)
}

func testTokenExpiry(s suite) {
	s.runSlow("GetToken/Expired", func(f *fixture) {
		token := f.token(simcloud.TokenSpec{Name: "t", Role: simcloud.RoleReader, Lifetime: simcloud.Duration(time.Hour)})
		f.equal("expires", token.Expires, token.Created.Add(time.Hour))
		f.advance(time.Hour - 1)
		f.equal("just before", f.getToken(token.ID).State, simcloud.TokenActive)
		f.advance(1)
		f.equal("then", f.getToken(token.ID).State, simcloud.TokenExpired)
		for state, want := range map[simcloud.TokenState]int{simcloud.TokenExpired: 1, simcloud.TokenRevoked: 0} {
			page := must[simcloud.Page[simcloud.Token]](f)(f.ListTokens(f.ctx, simcloud.ListOptions{State: string(state), Name: "t"}))
			f.equal("listed as "+string(state), len(page.Items), want)
		}
	})
	s.runSlow("RotateToken/Lifetime", func(f *fixture) {
		token := f.token(simcloud.TokenSpec{Name: "t", Role: simcloud.RoleReader, Lifetime: 1})
		f.advance(time.Hour)
		after := must[tokenResult](f)(f.RotateToken(f.ctx, token.ID, simcloud.TokenRotation{Lifetime: simcloud.Duration(time.Minute)})).Resource
		f.equal("state", after.State, simcloud.TokenActive)
		f.equal("expires", after.Expires, after.Updated.Add(time.Minute))
	})
}

func testTokenRotation(s suite) {
	s.run("RotateToken/OK", func(f *fixture) {
		before := f.token(simcloud.TokenSpec{Name: "t", Role: simcloud.RoleReader})
		r := must[tokenResult](f)(f.RotateToken(f.ctx, before.ID, simcloud.TokenRotation{}))
		if r.Resource.Secret == "" || r.Resource.Secret == before.Secret || r.Resource.Version <= before.Version {
			f.Errorf("rotated %+v to %+v", before, r.Resource)
		}
		f.equal("expires", r.Resource.Expires, before.Expires)
		f.done(r.Operation, "RotateToken", simcloud.KindToken, before.ID)
	})
	s.run("RotateToken/Invalid", func(f *fixture) {
		_, err := f.RotateToken(f.ctx, aToken(f), simcloud.TokenRotation{Grace: -1, Lifetime: -1})
		f.wantField(err, "grace")
		f.wantField(err, "lifetime")
	})
	s.run("RotateToken/Revoked", func(f *fixture) {
		id := aToken(f)
		must[tokenResult](f)(f.RevokeToken(f.ctx, id))
		_, err := f.RotateToken(f.ctx, id, simcloud.TokenRotation{})
		f.want(err, simcloud.Conflict)
		f.wantResource(err, simcloud.Ref(simcloud.KindToken, id))
	})
}

func testTokenRevocation(s suite) {
	s.run("RevokeToken/OK", func(f *fixture) {
		id := aToken(f)
		r := must[tokenResult](f)(f.RevokeToken(f.ctx, id))
		f.equal("state", f.getToken(id).State, simcloud.TokenRevoked)
		f.done(r.Operation, "RevokeToken", simcloud.KindToken, id)
		again := must[tokenResult](f)(f.RevokeToken(f.ctx, id)).Resource
		f.equal("once more", again, r.Resource)
	})
	s.run("RevokeToken/LastAdmin", func(f *fixture) {
		admin := simcloud.TokenSpec{Name: "admin-2", Role: simcloud.RoleAdmin}
		f.token(admin)
		tokens := must[[]simcloud.Token](f)(simcloud.ListAll(f.ctx, f.ListTokens, simcloud.ListOptions{}))
		var left []simcloud.ID // with one that the caller has, which goes last
		for _, token := range tokens {
			left = append([]simcloud.ID{token.ID}, left...)
		}
		for _, id := range left[:len(left)-1] {
			must[tokenResult](f)(f.RevokeToken(f.ctx, id))
		}
		last := left[len(left)-1]
		_, err := f.RevokeToken(f.ctx, last)
		f.want(err, simcloud.Conflict)
		f.wantResource(err, simcloud.Ref(simcloud.KindToken, last))
		_, err = f.DeleteToken(f.ctx, last)
		f.want(err, simcloud.Conflict)
		_, err = f.RotateToken(f.ctx, last, simcloud.TokenRotation{Lifetime: simcloud.Duration(time.Hour)})
		f.want(err, simcloud.Conflict)
		f.wantResource(err, simcloud.Ref(simcloud.KindToken, last))
		// One that expires is no substitute for one that does not; another that stays is.
		admin.Lifetime = simcloud.Duration(time.Minute)
		f.token(admin)
		_, err = f.RotateToken(f.ctx, last, simcloud.TokenRotation{Lifetime: simcloud.Duration(time.Hour)})
		f.want(err, simcloud.Conflict)
		_, err = f.RevokeToken(f.ctx, last)
		f.want(err, simcloud.Conflict)
		f.wantResource(err, simcloud.Ref(simcloud.KindToken, last))
		_, err = f.DeleteToken(f.ctx, last)
		f.want(err, simcloud.Conflict)
		admin.Lifetime = 0
		f.token(admin)
		must[tokenResult](f)(f.RotateToken(f.ctx, last, simcloud.TokenRotation{Lifetime: simcloud.Duration(time.Hour), Grace: simcloud.Duration(time.Hour)}))
	})
	s.run("DeleteToken/OK", func(f *fixture) {
		id := aToken(f)
		f.done(must[simcloud.Operation](f)(f.DeleteToken(f.ctx, id)), "DeleteToken", simcloud.KindToken, id)
		_, err := f.GetToken(f.ctx, id)
		f.want(err, simcloud.NotFound)
		if next := aToken(f); next == id {
			f.Errorf("%s is the id of two tokens", id)
		}
	})
}
