package tenancy

import (
	"encoding/json"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type documentResult = simcloud.Result[simcloud.Document]

func testDocuments(s suite.Runner) {
	s.Test("GetDocument/NotFound", func(f *suite.Fixture) {
		_, err := f.GetDocument(f.Ctx, "doc-1")
		f.Want(err, simcloud.NotFound)
		f.WantResource(err, "document/doc-1")
	})
	s.Test("CreateDocument/OK", func(f *suite.Fixture) {
		spec := simcloud.DocumentSpec{
			Name: "a", Dialect: "hcloud", Type: "certificate", Body: json.RawMessage(` {"x": ["<&>", 1], "type": "managed", "domains": ["a.example"]} `), Labels: map[string]string{"k": "v"},
		}
		r := suite.Must[documentResult](f)(f.CreateDocument(f.Ctx, spec))
		f.Done(r.Operation, "CreateDocument", simcloud.KindDocument, "doc-1")
		d := r.Resource
		f.Equal("document", []any{d.Name, d.Dialect, d.Type, d.Labels}, []any{spec.Name, spec.Dialect, spec.Type, spec.Labels})
		f.Equal("body", suite.BodyOf(f, d), map[string]any{"x": []any{"<&>", 1.0}, "type": "managed", "domains": []any{"a.example"}})
		f.Equal("as read", suite.Must[simcloud.Document](f)(f.GetDocument(f.Ctx, "doc-1")), d)
	})
	s.Test("CreateDocument/Invalid", func(f *suite.Fixture) {
		_, err := f.CreateDocument(f.Ctx, simcloud.DocumentSpec{Name: "a b", Type: "-", Body: json.RawMessage(`[]`)})
		for _, field := range []string{"name", "dialect", "type", "body"} {
			f.WantField(err, field)
		}
	})
	s.Test("CreateDocument/NameTaken", func(f *suite.Fixture) {
		id := f.Document("a")
		spec := simcloud.DocumentSpec{Name: "a", Dialect: "hcloud", Type: "certificate", Body: suite.CertificateBody()}
		_, err := f.CreateDocument(f.Ctx, spec)
		f.Want(err, simcloud.AlreadyExists)
		other := f.Document("b")
		_, err = f.UpdateDocument(f.Ctx, other, simcloud.DocumentUpdate{Name: suite.Ptr("a")})
		f.Want(err, simcloud.AlreadyExists)
		spec.Dialect, spec.Type = "acme", "image" // of another type a name is free
		suite.Must[documentResult](f)(f.CreateDocument(f.Ctx, spec))
		suite.Drop(f)(f.DeleteDocument(f.Ctx, id))
		f.Document("a")
	})
	s.Test("UpdateDocument/OK", func(f *suite.Fixture) {
		id := f.Document("a")
		update := simcloud.DocumentUpdate{
			Name: suite.Ptr("b"), Labels: &map[string]string{"x": "y"}, Body: suite.Ptr(json.RawMessage(`{"y":2,"type":"managed","domains":["b.example"]}`)),
		}
		r := suite.Must[documentResult](f)(f.UpdateDocument(f.Ctx, id, update))
		f.Done(r.Operation, "UpdateDocument", simcloud.KindDocument, id)
		f.Equal("document", []any{r.Resource.Name, r.Resource.Labels, suite.BodyOf(f, r.Resource)},
			[]any{"b", *update.Labels, map[string]any{"y": 2.0, "type": "managed", "domains": []any{"b.example"}}})
		f.Equal("as read", suite.Must[simcloud.Document](f)(f.GetDocument(f.Ctx, id)), r.Resource)
	})
	s.Test("UpdateDocument/Invalid", func(f *suite.Fixture) {
		_, err := f.UpdateDocument(f.Ctx, f.Document("a"), simcloud.DocumentUpdate{Body: suite.Ptr(json.RawMessage(`7`))})
		f.WantField(err, "body")
	})
	s.Test("DeleteDocument/OK", func(f *suite.Fixture) {
		id := f.Document("a")
		op := suite.Must[simcloud.Operation](f)(f.DeleteDocument(f.Ctx, id))
		f.Done(op, "DeleteDocument", simcloud.KindDocument, id)
		_, err := f.GetDocument(f.Ctx, id)
		f.Want(err, simcloud.NotFound)
	})
	s.Test("DeleteDocument/InUse", deleteUsedDocument)
	s.Test("CreateListener/UnknownDocument", func(f *suite.Fixture) {
		spec := suite.TCP(443, 30443)
		spec.Documents = []simcloud.ID{"doc-9"}
		_, err := f.CreateListener(f.Ctx, f.LoadBalancer(simcloud.LoadBalancerSpec{}).ID, spec)
		f.WantField(err, "documents[0]")
		_, err = f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "b", Listeners: []simcloud.ListenerSpec{spec}})
		f.WantField(err, "listeners[0].documents[0]")
	})
}

// deleteUsedDocument: a document stays as long as a listener has it.
func deleteUsedDocument(f *suite.Fixture) {
	id := f.Document("a")
	spec := suite.TCP(443, 30443)
	spec.Documents = []simcloud.ID{id}
	lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{spec}})
	_, err := f.DeleteDocument(f.Ctx, id)
	f.Want(err, simcloud.InUse)
	f.WantResource(err, "document/"+string(id))
	config := spec.ListenerConfig
	config.Documents = []simcloud.ID{"doc-9"}
	_, err = f.UpdateListener(f.Ctx, lb.ID, "tcp-443", config)
	f.WantField(err, "documents[0]")
	config.Documents = nil
	suite.Must[simcloud.Result[simcloud.LoadBalancer]](f)(f.UpdateListener(f.Ctx, lb.ID, "tcp-443", config))
	suite.Drop(f)(f.DeleteDocument(f.Ctx, id))
}
