package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

type keyResult = simcloud.Result[simcloud.SSHKey]

// What ssh-keygen made, and what ssh-keygen -l says of it.
const (
	publicKey   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMb39bOLKNyz0810+teEYEU1Mh1RQLpUyAwmAdCzWBfZ me@here"
	fingerprint = "SHA256:WNhX84Y8mt/f1glrfbBuxO7gp/pvULJsejTJi97B4zk"
)

func testSSHKeys(s suite) {
	s.run("GetSSHKey/NotFound", func(f *fixture) {
		_, err := f.GetSSHKey(f.ctx, "key-1")
		f.want(err, simcloud.NotFound)
		f.wantResource(err, "ssh_key/key-1")
	})
	s.run("CreateSSHKey/OK", func(f *fixture) {
		spec := simcloud.SSHKeySpec{Name: "k", PublicKey: publicKey, Labels: map[string]string{"k": "v"}}
		r := must[keyResult](f)(f.CreateSSHKey(f.ctx, spec))
		f.done(r.Operation, "CreateSSHKey", simcloud.KindSSHKey, "key-1")
		f.equal("as read", must[simcloud.SSHKey](f)(f.GetSSHKey(f.ctx, "key-1")), r.Resource)
		f.equal("key", []any{r.Resource.Name, r.Resource.PublicKey, r.Resource.Fingerprint, r.Resource.Labels},
			[]any{"k", publicKey, fingerprint, spec.Labels})
	})
	s.run("CreateSSHKey/Taken", func(f *fixture) {
		must[keyResult](f)(f.CreateSSHKey(f.ctx, simcloud.SSHKeySpec{Name: "k", PublicKey: madeKey(1)}))
		_, err := f.CreateSSHKey(f.ctx, simcloud.SSHKeySpec{Name: "other", PublicKey: madeKey(1) + " with another comment"})
		f.want(err, simcloud.AlreadyExists)
		f.wantResource(err, "ssh_key/key-1")
		must[keyResult](f)(f.CreateSSHKey(f.ctx, simcloud.SSHKeySpec{Name: "k", PublicKey: madeKey(2)}))
	})
	s.run("CreateSSHKey/Invalid", func(f *fixture) {
		for _, text := range []string{"", "ssh-ed25519", "ssh-rsa " + madeKey(1)[12:], madeKey(1) + "\n" + madeKey(2), "ssh-ed25519 ????"} {
			_, err := f.CreateSSHKey(f.ctx, simcloud.SSHKeySpec{PublicKey: text, Labels: map[string]string{"": ""}})
			for _, field := range []string{"name", "publicKey", "labels"} {
				f.wantField(err, field)
			}
		}
	})
	s.run("UpdateSSHKey/OK", func(f *fixture) {
		r := must[keyResult](f)(f.UpdateSSHKey(f.ctx, anSSHKey(f), simcloud.SSHKeyUpdate{Name: ptr("b"), Labels: &map[string]string{"k": "v"}}))
		f.done(r.Operation, "UpdateSSHKey", simcloud.KindSSHKey, "key-1")
		f.equal("name and labels", []any{r.Resource.Name, r.Resource.Labels}, []any{"b", map[string]string{"k": "v"}})
		_, err := f.UpdateSSHKey(f.ctx, "key-1", simcloud.SSHKeyUpdate{Name: ptr("")})
		f.wantField(err, "name")
	})
	s.run("DeleteSSHKey/OK", func(f *fixture) {
		id := anSSHKey(f)
		f.done(must[simcloud.Operation](f)(f.DeleteSSHKey(f.ctx, id)), "DeleteSSHKey", simcloud.KindSSHKey, id)
		_, err := f.GetSSHKey(f.ctx, id)
		f.want(err, simcloud.NotFound)
	})
	s.run("DeleteSSHKey/InUse", func(f *fixture) {
		key := anSSHKey(f)
		id := f.instanceOf(simcloud.InstanceSpec{Name: "a", SSHKeys: []simcloud.ID{key}}).ID
		_, err := f.DeleteSSHKey(f.ctx, key)
		f.want(err, simcloud.InUse)
		drop(f)(f.DeleteInstance(f.ctx, id))
		drop(f)(f.DeleteSSHKey(f.ctx, key))
	})
	s.run("CreateInstance/SSHKeys", func(f *fixture) {
		keys := []simcloud.ID{f.sshKey(2), f.sshKey(1)}
		got := f.instanceOf(simcloud.InstanceSpec{Name: "a", SSHKeys: keys})
		f.equal("keys", f.getInstance(got.ID).SSHKeys, keys)
		_, err := f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a", SSHKeys: []simcloud.ID{keys[0], "key-9"}})
		f.wantField(err, "sshKeys[1]")
		_, err = f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a", SSHKeys: []simcloud.ID{keys[0], keys[0]}})
		f.wantField(err, "sshKeys[1]")
		again := must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.ctx, got.ID)).Resource
		f.equal("keys of one recreated", again.SSHKeys, keys)
	})
	testSSHKeyTargets(s)
}

func testSSHKeyTargets(s suite) {
	s.run("AttachSSHKey/OK", func(f *fixture) {
		key := anSSHKey(f)
		a, b := f.instance("a").ID, f.instanceOf(simcloud.InstanceSpec{Name: "b", SSHKeys: []simcloud.ID{key}}).ID
		var r keyResult
		f.equal("events", f.storyOf(func() {
			r = must[keyResult](f)(f.AttachSSHKey(f.ctx, key, simcloud.SSHKeyTargets{Instances: []simcloud.ID{a, b}}))
		}), []string{"updated instance/i-1"})
		f.done(r.Operation, "AttachSSHKey", simcloud.KindSSHKey, key)
		f.equal("keys", [][]simcloud.ID{f.getInstance(a).SSHKeys, f.getInstance(b).SSHKeys}, [][]simcloud.ID{{key}, {key}})
	})
	s.run("AttachSSHKey/All", func(f *fixture) {
		key, other := anSSHKey(f), f.sshKey(2)
		a, b := f.instance("a").ID, f.instanceOf(simcloud.InstanceSpec{Name: "b", SSHKeys: []simcloud.ID{other}}).ID
		must[keyResult](f)(f.AttachSSHKey(f.ctx, key, simcloud.SSHKeyTargets{All: true}))
		f.equal("keys", [][]simcloud.ID{f.getInstance(a).SSHKeys, f.getInstance(b).SSHKeys}, [][]simcloud.ID{{key}, {other, key}})
		r := must[keyResult](f)(f.DetachSSHKey(f.ctx, key, simcloud.SSHKeyTargets{All: true}))
		f.done(r.Operation, "DetachSSHKey", simcloud.KindSSHKey, key)
		f.equal("keys afterwards", [][]simcloud.ID{f.getInstance(a).SSHKeys, f.getInstance(b).SSHKeys}, [][]simcloud.ID{nil, {other}})
	})
	s.run("DetachSSHKey/OK", func(f *fixture) {
		key := anSSHKey(f)
		keys := simcloud.InstanceSpec{Name: "a", SSHKeys: []simcloud.ID{key}}
		a, b := f.instanceOf(keys).ID, f.instanceOf(keys).ID
		f.equal("events", f.storyOf(func() {
			must[keyResult](f)(f.DetachSSHKey(f.ctx, key, simcloud.SSHKeyTargets{Instances: []simcloud.ID{b}}))
		}), []string{"updated instance/i-2"})
		f.equal("keys", [][]simcloud.ID{f.getInstance(a).SSHKeys, f.getInstance(b).SSHKeys}, [][]simcloud.ID{{key}, nil})
	})
	s.run("AttachSSHKey/TooMany", func(f *fixture) {
		var keys []simcloud.ID
		for n := range simcloud.MaxSSHKeys + 1 {
			keys = append(keys, f.sshKey(n))
		}
		full := f.instanceOf(simcloud.InstanceSpec{Name: "a", SSHKeys: keys[1:]}).ID
		_, err := f.AttachSSHKey(f.ctx, keys[0], simcloud.SSHKeyTargets{All: true})
		f.want(err, simcloud.Capacity)
		f.wantResource(err, "instance/"+string(full))
	})
	for name, call := range map[string]func(*fixture, simcloud.ID, simcloud.SSHKeyTargets) error{
		"AttachSSHKey": func(f *fixture, id simcloud.ID, to simcloud.SSHKeyTargets) error {
			_, err := f.AttachSSHKey(f.ctx, id, to)
			return err
		},
		"DetachSSHKey": func(f *fixture, id simcloud.ID, from simcloud.SSHKeyTargets) error {
			_, err := f.DetachSSHKey(f.ctx, id, from)
			return err
		},
	} {
		s.run(name+"/Invalid", func(f *fixture) {
			key, a := anSSHKey(f), f.instance("a").ID
			for _, targets := range []simcloud.SSHKeyTargets{{}, {All: true, Instances: []simcloud.ID{a}}} {
				f.wantField(call(f, key, targets), "instances")
			}
			f.wantField(call(f, key, simcloud.SSHKeyTargets{Instances: []simcloud.ID{a, a}}), "instances[1]")
			f.wantField(call(f, key, simcloud.SSHKeyTargets{Instances: []simcloud.ID{a, "i-99"}}), "instances[1]")
			f.equal("none has it", f.getInstance(a).SSHKeys, []simcloud.ID(nil))
		})
	}
	s.runSlow("AttachSSHKey/Locked", func(f *fixture) {
		key, a := anSSHKey(f), f.instance("a").ID
		f.advance(opDuration)
		b := f.instance("b").ID
		_, err := f.AttachSSHKey(f.ctx, key, simcloud.SSHKeyTargets{All: true})
		f.want(err, simcloud.Locked)
		f.wantResource(err, "instance/"+string(b))
		f.equal("all or none", f.getInstance(a).SSHKeys, []simcloud.ID(nil))
		f.advance(opDuration)
		drop(f)(f.DeleteInstance(f.ctx, b))
		must[keyResult](f)(f.AttachSSHKey(f.ctx, key, simcloud.SSHKeyTargets{All: true}))
		f.equal("one that goes is not meant", f.getInstance(b).SSHKeys, []simcloud.ID(nil))
	})
}
