package core

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

type documentResult = simcloud.Result[simcloud.Document]

// ListDocuments lists documents.
func (c *Cloud) ListDocuments(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Document], error) {
	return list(ctx, c, store.Documents, opts, ofProject, noStates)
}

// GetDocument returns one document.
func (c *Cloud) GetDocument(ctx context.Context, id simcloud.ID) (simcloud.Document, error) {
	return get(ctx, c, store.Documents, id)
}

// CreateDocument keeps a document.
func (m mutations) CreateDocument(
	ctx context.Context, spec simcloud.DocumentSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Document], error) {
	req := request{verb: "CreateDocument", spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (documentResult, error) {
		document := simcloud.Document{Dialect: spec.Dialect, Type: spec.Type}
		if err := t.documentFree(document, spec.Name); err != nil {
			return documentResult{}, err
		}
		var err error
		if document.Body, err = asStored(spec.Body); err != nil {
			return documentResult{}, err
		}
		if document.Meta, err = newMeta(t, store.Documents, spec.Name, spec.Labels); err != nil {
			return documentResult{}, err
		}
		if err := t.cloud.checkDocument(document); err != nil {
			return documentResult{}, err
		}
		if document.Reserved, err = t.reserve(document.ID, spec.Reserved); err != nil {
			return documentResult{}, err
		}
		return insert(t, store.Documents, document)
	})
}

// documentFree answers AlreadyExists when the project has another document of that kind with the name.
func (t *txn) documentFree(d simcloud.Document, name string) error {
	found, err := store.Documents.Referring(t.tx, store.DocumentRef(d.Dialect, d.Type, name)) // one of each project at most
	if err != nil {
		return err
	}
	for _, other := range found {
		if other.Project == t.caller.Project && other.ID != d.ID {
			return simcloud.Errorf(simcloud.AlreadyExists, simcloud.Ref(simcloud.KindDocument, other.ID),
				"the project has a %s of %s with the name %q", d.Type, d.Dialect, name)
		}
	}
	return nil
}

// asStored is a body as the store returns it.
func asStored(body json.RawMessage) (json.RawMessage, error) { return json.Marshal(body) }

// UpdateDocument changes the name, the labels and the body.
func (m mutations) UpdateDocument(
	ctx context.Context, id simcloud.ID, update simcloud.DocumentUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Document], error) {
	req := request{verb: "UpdateDocument", ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (documentResult, error) {
		before, err := getForUpdate(t, store.Documents, id)
		if err != nil {
			return documentResult{}, err
		}
		after := before
		if update.Name != nil {
			if err := t.documentFree(before, *update.Name); err != nil {
				return documentResult{}, err
			}
		}
		if err := rename(t, store.Documents, &after.Meta, update.Name, update.Labels); err != nil {
			return documentResult{}, err
		}
		if update.Body != nil {
			if after.Body, err = asStored(*update.Body); err != nil {
				return documentResult{}, err
			}
			if err := t.cloud.checkDocument(after); err != nil {
				return documentResult{}, err
			}
		}
		return replace(t, store.Documents, before, after)
	})
}

// DeleteDocument deletes a document that no load balancer has, and frees what it reserves.
func (m mutations) DeleteDocument(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteDocument", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (simcloud.Operation, error) {
		document, err := getForUpdate(t, store.Documents, id)
		if err != nil {
			return simcloud.Operation{}, err
		}
		op, err := removeUnused(t, store.Documents, id)
		if err != nil {
			return op, err
		}
		return op, t.unreserve(document)
	})
}

// reportUnreadable logs each document that its dialect cannot read. A data file or a snapshot may have such: older versions
// took them. The dialect leaves them out.
func (c *Cloud) reportUnreadable(tx *store.Tx) error {
	all, err := store.Documents.All(tx)
	for _, d := range all {
		if unreadable := c.checkDocument(d); unreadable != nil {
			c.log.Warn("the dialect leaves out a document that it cannot read: update or delete the document", "id", d.ID, "project", d.Project,
				"dialect", d.Dialect, "type", d.Type, "error", unreadable)
		}
	}
	return err
}

// knownDocuments answers Invalid when the project does not have all of the documents that a listener names.
func (t *txn) knownDocuments(field string, ids []simcloud.ID) error {
	for i, id := range ids {
		_, err := find(t.tx, store.Documents, t.caller.Project, id)
		if simcloud.CodeOf(err) == simcloud.NotFound {
			err = invalid(string(simcloud.KindLoadBalancer), fmt.Sprintf("%sdocuments[%d]", field, i), "document %q not found", id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dropDocuments takes from listeners the documents that are gone.
func (t *txn) dropDocuments(listeners []simcloud.Listener) {
	for i, listener := range listeners {
		var there []simcloud.ID
		for _, id := range listener.Documents {
			if store.Documents.Has(t.tx, id) {
				there = append(there, id)
			}
		}
		listeners[i].Documents = there
	}
}
