package suite

import (
	"errors"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Want fails the test unless err has the code.
func (f *Fixture) Want(err error, code simcloud.Code) {
	f.Helper()
	if got := simcloud.CodeOf(err); got != code {
		f.Errorf("got %v, want code %q", err, code)
	}
}

// WantField fails the test unless err is Invalid and names the field.
func (f *Fixture) WantField(err error, field string) {
	f.Helper()
	f.Want(err, simcloud.Invalid)
	var e *simcloud.Error
	if !errors.As(err, &e) {
		return
	}
	for _, wrong := range e.Fields {
		if wrong.Field == field {
			return
		}
	}
	f.Errorf("%v does not name the field %q", err, field)
}

// WantResource fails the test unless err names the resource.
func (f *Fixture) WantResource(err error, resource string) {
	f.Helper()
	var e *simcloud.Error
	if errors.As(err, &e) && e.Resource != resource {
		f.Errorf("%v names %q, want %q", err, e.Resource, resource)
	}
}

// Equal fails the test with a diff.
func (f *Fixture) Equal(what string, got, want any) {
	f.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		f.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Must returns v, or ends the test.
func Must[T any](f *Fixture) func(T, error) T {
	return func(v T, err error) T {
		f.Helper()
		if err != nil {
			f.Fatal(err)
		}
		return v
	}
}

// Done fails the test unless the operation is done, is that of the verb and
// resource, and can be read.
func (f *Fixture) Done(op simcloud.Operation, verb string, kind simcloud.Kind, id simcloud.ID) {
	f.Helper()
	f.Equal("verb", op.Verb, verb)
	f.Equal("resource", op.Resource, simcloud.Attachment{Kind: kind, ID: id})
	f.Equal("state", op.State, simcloud.OperationDone)
	f.Equal("progress", op.Progress, 100)
	f.Equal("the operation as it is read", Must[simcloud.Operation](f)(f.GetOperation(f.Ctx, op.ID)), op)
	f.Equal("the operation that is waited for", Must[simcloud.Operation](f)(f.WaitOperation(f.Ctx, op.ID)), op)
}

// Ptr returns the address of a copy of v.
func Ptr[T any](v T) *T { return &v }

// Drop ends the test unless a deletion succeeded.
func Drop(f *Fixture) func(simcloud.Operation, error) {
	return func(_ simcloud.Operation, err error) {
		f.Helper()
		if err != nil {
			f.Fatal(err)
		}
	}
}

// Resource is a resource of any kind.
type Resource interface{ GetMeta() *simcloud.Meta }

// IDs returns the ids of what was listed.
func IDs[T any](items []T) []simcloud.ID {
	list := []simcloud.ID{}
	for i := range items {
		list = append(list, any(&items[i]).(Resource).GetMeta().ID)
	}
	return list
}
