package compute

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type keyResult = simcloud.Result[simcloud.SSHKey]

// What ssh-keygen made, and what ssh-keygen -l says of it.
const (
	publicKey   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMb39bOLKNyz0810+teEYEU1Mh1RQLpUyAwmAdCzWBfZ me@here"
	fingerprint = "SHA256:WNhX84Y8mt/f1glrfbBuxO7gp/pvULJsejTJi97B4zk"
)

func testSSHKeys(s suite.Runner) {
	s.Test("GetSSHKey/NotFound", func(f *suite.Fixture) {
		_, err := f.GetSSHKey(f.Ctx, "key-1")
		f.Want(err, simcloud.NotFound)
		f.WantResource(err, "ssh_key/key-1")
	})
	s.Test("CreateSSHKey/OK", func(f *suite.Fixture) {
		spec := simcloud.SSHKeySpec{Name: "k", PublicKey: publicKey, Labels: map[string]string{"k": "v"}}
		r := suite.Must[keyResult](f)(f.CreateSSHKey(f.Ctx, spec))
		f.Done(r.Operation, "CreateSSHKey", simcloud.KindSSHKey, "key-1")
		f.Equal("as read", suite.Must[simcloud.SSHKey](f)(f.GetSSHKey(f.Ctx, "key-1")), r.Resource)
		f.Equal("key", []any{r.Resource.Name, r.Resource.PublicKey, r.Resource.Fingerprint, r.Resource.Labels},
			[]any{"k", publicKey, fingerprint, spec.Labels})
	})
	s.Test("CreateSSHKey/Taken", func(f *suite.Fixture) {
		suite.Must[keyResult](f)(f.CreateSSHKey(f.Ctx, simcloud.SSHKeySpec{Name: "k", PublicKey: suite.PublicKey(1)}))
		_, err := f.CreateSSHKey(f.Ctx, simcloud.SSHKeySpec{Name: "other", PublicKey: suite.PublicKey(1) + " with another comment"})
		f.Want(err, simcloud.AlreadyExists)
		f.WantResource(err, "ssh_key/key-1")
		suite.Must[keyResult](f)(f.CreateSSHKey(f.Ctx, simcloud.SSHKeySpec{Name: "k", PublicKey: suite.PublicKey(2)}))
	})
	s.Test("CreateSSHKey/Invalid", func(f *suite.Fixture) {
		for _, text := range []string{"", "ssh-ed25519", "ssh-rsa " + suite.PublicKey(1)[12:], suite.PublicKey(1) + "\n" + suite.PublicKey(2), "ssh-ed25519 ????"} {
			_, err := f.CreateSSHKey(f.Ctx, simcloud.SSHKeySpec{PublicKey: text, Labels: map[string]string{"": ""}})
			for _, field := range []string{"name", "publicKey", "labels"} {
				f.WantField(err, field)
			}
		}
	})
	s.Test("UpdateSSHKey/OK", func(f *suite.Fixture) {
		r := suite.Must[keyResult](f)(f.UpdateSSHKey(f.Ctx, suite.MakeSSHKey(f), simcloud.SSHKeyUpdate{Name: suite.Ptr("b"), Labels: &map[string]string{"k": "v"}}))
		f.Done(r.Operation, "UpdateSSHKey", simcloud.KindSSHKey, "key-1")
		f.Equal("name and labels", []any{r.Resource.Name, r.Resource.Labels}, []any{"b", map[string]string{"k": "v"}})
		_, err := f.UpdateSSHKey(f.Ctx, "key-1", simcloud.SSHKeyUpdate{Name: suite.Ptr("")})
		f.WantField(err, "name")
	})
	s.Test("DeleteSSHKey/OK", func(f *suite.Fixture) {
		id := suite.MakeSSHKey(f)
		f.Done(suite.Must[simcloud.Operation](f)(f.DeleteSSHKey(f.Ctx, id)), "DeleteSSHKey", simcloud.KindSSHKey, id)
		_, err := f.GetSSHKey(f.Ctx, id)
		f.Want(err, simcloud.NotFound)
	})
	s.Test("DeleteSSHKey/InUse", func(f *suite.Fixture) {
		key := suite.MakeSSHKey(f)
		id := f.InstanceOf(simcloud.InstanceSpec{Name: "a", SSHKeys: []simcloud.ID{key}}).ID
		_, err := f.DeleteSSHKey(f.Ctx, key)
		f.Want(err, simcloud.InUse)
		suite.Drop(f)(f.DeleteInstance(f.Ctx, id))
		suite.Drop(f)(f.DeleteSSHKey(f.Ctx, key))
	})
	s.Test("CreateInstance/SSHKeys", func(f *suite.Fixture) {
		keys := []simcloud.ID{f.SSHKey(2), f.SSHKey(1)}
		got := f.InstanceOf(simcloud.InstanceSpec{Name: "a", SSHKeys: keys})
		f.Equal("keys", f.MustGetInstance(got.ID).SSHKeys, keys)
		_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a", SSHKeys: []simcloud.ID{keys[0], "key-9"}})
		f.WantField(err, "sshKeys[1]")
		_, err = f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a", SSHKeys: []simcloud.ID{keys[0], keys[0]}})
		f.WantField(err, "sshKeys[1]")
		again := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.Ctx, got.ID)).Resource
		f.Equal("keys of one recreated", again.SSHKeys, keys)
	})
	testSSHKeyTargets(s)
}

func testSSHKeyTargets(s suite.Runner) {
	s.Test("AttachSSHKey/OK", func(f *suite.Fixture) {
		key := suite.MakeSSHKey(f)
		a, b := f.Instance("a").ID, f.InstanceOf(simcloud.InstanceSpec{Name: "b", SSHKeys: []simcloud.ID{key}}).ID
		var r keyResult
		f.Equal("events", f.StoryOf(func() {
			r = suite.Must[keyResult](f)(f.AttachSSHKey(f.Ctx, key, simcloud.SSHKeyTargets{Instances: []simcloud.ID{a, b}}))
		}), []string{"updated instance/i-1"})
		f.Done(r.Operation, "AttachSSHKey", simcloud.KindSSHKey, key)
		f.Equal("keys", [][]simcloud.ID{f.MustGetInstance(a).SSHKeys, f.MustGetInstance(b).SSHKeys}, [][]simcloud.ID{{key}, {key}})
	})
	s.Test("AttachSSHKey/All", func(f *suite.Fixture) {
		key, other := suite.MakeSSHKey(f), f.SSHKey(2)
		a, b := f.Instance("a").ID, f.InstanceOf(simcloud.InstanceSpec{Name: "b", SSHKeys: []simcloud.ID{other}}).ID
		suite.Must[keyResult](f)(f.AttachSSHKey(f.Ctx, key, simcloud.SSHKeyTargets{All: true}))
		f.Equal("keys", [][]simcloud.ID{f.MustGetInstance(a).SSHKeys, f.MustGetInstance(b).SSHKeys}, [][]simcloud.ID{{key}, {other, key}})
		r := suite.Must[keyResult](f)(f.DetachSSHKey(f.Ctx, key, simcloud.SSHKeyTargets{All: true}))
		f.Done(r.Operation, "DetachSSHKey", simcloud.KindSSHKey, key)
		f.Equal("keys afterwards", [][]simcloud.ID{f.MustGetInstance(a).SSHKeys, f.MustGetInstance(b).SSHKeys}, [][]simcloud.ID{nil, {other}})
	})
	s.Test("DetachSSHKey/OK", func(f *suite.Fixture) {
		key := suite.MakeSSHKey(f)
		keys := simcloud.InstanceSpec{Name: "a", SSHKeys: []simcloud.ID{key}}
		a, b := f.InstanceOf(keys).ID, f.InstanceOf(keys).ID
		f.Equal("events", f.StoryOf(func() {
			suite.Must[keyResult](f)(f.DetachSSHKey(f.Ctx, key, simcloud.SSHKeyTargets{Instances: []simcloud.ID{b}}))
		}), []string{"updated instance/i-2"})
		f.Equal("keys", [][]simcloud.ID{f.MustGetInstance(a).SSHKeys, f.MustGetInstance(b).SSHKeys}, [][]simcloud.ID{{key}, nil})
	})
	s.Test("AttachSSHKey/TooMany", func(f *suite.Fixture) {
		var keys []simcloud.ID
		for n := range simcloud.MaxSSHKeys + 1 {
			keys = append(keys, f.SSHKey(n))
		}
		full := f.InstanceOf(simcloud.InstanceSpec{Name: "a", SSHKeys: keys[1:]}).ID
		_, err := f.AttachSSHKey(f.Ctx, keys[0], simcloud.SSHKeyTargets{All: true})
		f.Want(err, simcloud.Capacity)
		f.WantResource(err, "instance/"+string(full))
	})
	for name, call := range map[string]func(*suite.Fixture, simcloud.ID, simcloud.SSHKeyTargets) error{
		"AttachSSHKey": func(f *suite.Fixture, id simcloud.ID, to simcloud.SSHKeyTargets) error {
			_, err := f.AttachSSHKey(f.Ctx, id, to)
			return err
		},
		"DetachSSHKey": func(f *suite.Fixture, id simcloud.ID, from simcloud.SSHKeyTargets) error {
			_, err := f.DetachSSHKey(f.Ctx, id, from)
			return err
		},
	} {
		s.Test(name+"/Invalid", func(f *suite.Fixture) {
			key, a := suite.MakeSSHKey(f), f.Instance("a").ID
			for _, targets := range []simcloud.SSHKeyTargets{{}, {All: true, Instances: []simcloud.ID{a}}} {
				f.WantField(call(f, key, targets), "instances")
			}
			f.WantField(call(f, key, simcloud.SSHKeyTargets{Instances: []simcloud.ID{a, a}}), "instances[1]")
			f.WantField(call(f, key, simcloud.SSHKeyTargets{Instances: []simcloud.ID{a, "i-99"}}), "instances[1]")
			f.Equal("none has it", f.MustGetInstance(a).SSHKeys, []simcloud.ID(nil))
		})
	}
	s.TestSlow("AttachSSHKey/Locked", func(f *suite.Fixture) {
		key, a := suite.MakeSSHKey(f), f.Instance("a").ID
		f.Advance(suite.OpDuration)
		b := f.Instance("b").ID
		_, err := f.AttachSSHKey(f.Ctx, key, simcloud.SSHKeyTargets{All: true})
		f.Want(err, simcloud.Locked)
		f.WantResource(err, "instance/"+string(b))
		f.Equal("all or none", f.MustGetInstance(a).SSHKeys, []simcloud.ID(nil))
		f.Advance(suite.OpDuration)
		suite.Drop(f)(f.DeleteInstance(f.Ctx, b))
		suite.Must[keyResult](f)(f.AttachSSHKey(f.Ctx, key, simcloud.SSHKeyTargets{All: true}))
		f.Equal("one that goes is not meant", f.MustGetInstance(b).SSHKeys, []simcloud.ID(nil))
	})
}
