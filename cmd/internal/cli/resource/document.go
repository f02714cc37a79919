package resource

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newDocumentCommand() *cobra.Command {
	const create = `create tls --dialect hcloud --type certificate --body '{"type": "managed", "domains": ["example.com"]}'`
	n := &noun[simcloud.Document, *simcloud.Document]{
		kind: simcloud.KindDocument, use: "document", one: "a document of a dialect", title: "documents of dialects", prefix: "doc-",
		sample: sample{name: "tls", create: []string{create}},
		list:   (*client.Client).ListDocuments, get: (*client.Client).GetDocument, remove: (*client.Client).DeleteDocument,
		table: output.MetaColumns(
			output.Col("DIALECT", func(d simcloud.Document) string { return d.Dialect }),
			output.Col("TYPE", func(d simcloud.Document) string { return d.Type }),
		),
	}
	update := func(c *client.Client, ctx context.Context, id simcloud.ID, name *string, labels *map[string]string, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Document], error) {
		return c.UpdateDocument(ctx, id, simcloud.DocumentUpdate{Name: name, Labels: labels}, opts...)
	}
	cmd := n.command(newDocumentCreateCommand(n), n.renameCommand(update), n.labelCommand(update))
	cmd.Aliases = []string{"documents"}
	return cmd
}

func newDocumentCreateCommand(n *noun[simcloud.Document, *simcloud.Document]) *cobra.Command {
	var spec simcloud.DocumentSpec
	var body string
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.Document], error) {
		spec.Name, spec.Labels, spec.Body = name, labels, json.RawMessage(body)
		if err := spec.Validate(); err != nil { // what is not JSON cannot be sent
			return simcloud.Result[simcloud.Document]{}, err
		}
		return c.CreateDocument(ctx, spec)
	})
	cmd.Flags().StringVar(&spec.Dialect, "dialect", "", "dialect that the document belongs to, such as hcloud")
	cmd.Flags().StringVar(&spec.Type, "type", "", "type of the document in its dialect, such as certificate")
	cmd.Flags().StringVar(&body, "body", "{}", "JSON object with what the document says")
	usage.Need(cmd, "dialect", "hcloud")
	usage.Need(cmd, "type", "certificate")
	return cmd
}
