package lsp_test

import (
	"context"
	"encoding/json"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/lsp"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
)

const file = `apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata:
  name: a
spec:
  description: A test.
  steps:
    - expect: 'nods.size() == 1' # "ä𝄞" are two letters
      withn: 5s
`

// editor is an editor's end of a session.
type editor struct {
	t     *testing.T
	conn  jsonrpc2.Conn
	shown chan protocol.PublishDiagnosticsParams
	ended chan error
}

func newEditor(t *testing.T) *editor {
	t.Helper()
	check := func(file string, text []byte) error {
		_, err := scenariorun.Check(context.Background(), file, text)
		return err
	}
	mine, its := net.Pipe()
	e := &editor{t: t, shown: make(chan protocol.PublishDiagnosticsParams, 10), ended: make(chan error, 1)}
	go func() { e.ended <- lsp.Serve(context.WithoutCancel(t.Context()), its, "v1.2.3", check) }()
	e.conn = jsonrpc2.NewConn(jsonrpc2.NewStream(mine))
	e.conn.Go(t.Context(), func(ctx context.Context, reply jsonrpc2.Replier, request jsonrpc2.Request) error {
		var p protocol.PublishDiagnosticsParams
		if request.Method() != protocol.MethodTextDocumentPublishDiagnostics || json.Unmarshal(request.Params(), &p) != nil {
			t.Errorf("the server says %s: %s", request.Method(), request.Params())
		}
		e.shown <- p
		return reply(ctx, nil, nil)
	})
	t.Cleanup(func() { _ = e.conn.Close() })
	var hello protocol.InitializeResult
	e.call(protocol.MethodInitialize, protocol.InitializeParams{}, &hello)
	if hello.ServerInfo.Version != "v1.2.3" || hello.Capabilities.CompletionProvider == nil || hello.Capabilities.HoverProvider != true {
		t.Errorf("the server presents itself as %+v", hello)
	}
	e.tell(protocol.MethodInitialized, protocol.InitializedParams{})
	return e
}

func (e *editor) call(method string, params, result any) {
	e.t.Helper()
	if _, err := e.conn.Call(e.t.Context(), method, params, result); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

func (e *editor) tell(method string, params any) {
	e.t.Helper()
	if err := e.conn.Notify(e.t.Context(), method, params); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

// opened opens a file, and returns what is shown of it then.
func (e *editor) opened(name, text string) (protocol.DocumentURI, []protocol.Diagnostic) {
	e.t.Helper()
	at := uri.File(name)
	e.tell(protocol.MethodTextDocumentDidOpen, protocol.DidOpenTextDocumentParams{TextDocument: protocol.TextDocumentItem{URI: at, LanguageID: "yaml", Text: text}})
	return at, e.next(at)
}

func (e *editor) changed(at protocol.DocumentURI, text string) []protocol.Diagnostic {
	e.t.Helper()
	e.tell(protocol.MethodTextDocumentDidChange, protocol.DidChangeTextDocumentParams{
		TextDocument:   protocol.VersionedTextDocumentIdentifier{TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: at}, Version: 2},
		ContentChanges: []protocol.TextDocumentContentChangeEvent{{Text: text}},
	})
	return e.next(at)
}

func (e *editor) next(at protocol.DocumentURI) []protocol.Diagnostic {
	e.t.Helper()
	select {
	case p := <-e.shown:
		if p.URI != at {
			e.t.Errorf("shown of %s, want %s", p.URI, at)
		}
		return p.Diagnostics
	case err := <-e.ended:
		e.t.Fatalf("the server ended: %v", err)
		return nil
	}
}

func position(at protocol.DocumentURI, line, character uint32) protocol.TextDocumentPositionParams {
	return protocol.TextDocumentPositionParams{TextDocument: protocol.TextDocumentIdentifier{URI: at}, Position: protocol.Position{Line: line, Character: character}}
}

// TestMistakesAreShown where they are, and no longer when they are repaired or the file is closed.
func TestMistakesAreShown(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	at, shown := e.opened(filepath.Join(t.TempDir(), "a.yaml"), file)
	var got []string
	for _, d := range shown {
		got = append(got, strings.Split(file, "\n")[d.Range.Start.Line][d.Range.Start.Character:d.Range.End.Character]+": "+d.Message)
	}
	want := []string{`nods: there is no variable "nods" ("nodes"?)`, `withn: the step expect has no key "withn" ("within"?)`}
	for _, w := range want {
		if !slices.ContainsFunc(got, func(g string) bool {
			return strings.HasPrefix(g, w[:strings.Index(w, ":")]) && strings.Contains(g, "?)")
		}) {
			t.Errorf("shown %q, want %q", got, want)
		}
	}
	if shown := e.changed(at, strings.NewReplacer("nods", "nodes", "withn", "within").Replace(file)); len(shown) != 0 {
		t.Errorf("of a right file is shown: %v", shown)
	}
	if len(e.changed(at, file)) == 0 {
		t.Fatal("the mistakes are not shown again")
	}
	e.tell(protocol.MethodTextDocumentDidClose, protocol.DidCloseTextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: at}})
	if shown := e.next(at); len(shown) != 0 {
		t.Errorf("of a closed file is shown: %v", shown)
	}
}

// TestOtherFiles: of other YAML files, and of steps for others to use, nothing is wrong.
func TestOtherFiles(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	for name, text := range map[string]string{
		"deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: [}\n",
		"steps.yaml":      "apiVersion: simcloud.dev/v1alpha1\nkind: Steps\nmetadata:\n  name: a\nspec:\n  description: Steps.\n  steps:\n    - expect: nodes.size() == 1\n",
		"empty.yaml":      "",
	} {
		at, shown := e.opened(filepath.Join(t.TempDir(), name), text)
		if len(shown) != 0 {
			t.Errorf("%s: %v", name, shown)
		}
		var list protocol.CompletionList
		e.call(protocol.MethodTextDocumentCompletion, protocol.CompletionParams{TextDocumentPositionParams: position(at, 0, 0)}, &list)
		if other := name == "deployment.yaml"; (len(list.Items) == 0) != other {
			t.Errorf("%s: %d proposals", name, len(list.Items))
		}
	}
}

// TestColumnsCountUnits: editors count columns in UTF-16 units, of which some letters have two and others one.
func TestColumnsCountUnits(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	const line = `    - expect: '"ä𝄞" != "" && instances[0].sta'`
	at, _ := e.opened(filepath.Join(t.TempDir(), "a.yaml"), strings.Replace(file, "    - expect: 'nods.size() == 1'", line, 1))
	before, _, _ := strings.Cut(line, "sta'")
	units := uint32(len([]rune(before)) + 1) //nolint:gosec // the length of the line above; 𝄞 is two
	var list protocol.CompletionList
	e.call(protocol.MethodTextDocumentCompletion, protocol.CompletionParams{TextDocumentPositionParams: position(at, 7, units)}, &list)
	if !slices.ContainsFunc(list.Items, func(i protocol.CompletionItem) bool { return i.Label == "state" && i.Detail == "string" }) {
		t.Errorf("no state among %d proposals", len(list.Items))
	}
	var hover protocol.Hover
	e.call(protocol.MethodTextDocumentHover, protocol.HoverParams{TextDocumentPositionParams: position(at, 7, units-4)}, &hover)
	if !strings.Contains(hover.Contents.Value, "instances") {
		t.Errorf("hover says %q", hover.Contents.Value)
	}
}

// TestSessionEnds as the protocol wants it: exit after shutdown is in order, and without it not.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		shutdown bool
	}{{"after shutdown", true}, {"without shutdown", false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := newEditor(t)
			if _, err := e.conn.Call(t.Context(), "textDocument/unheardOf", nil, nil); err == nil || !strings.Contains(err.Error(), "method not found") {
				t.Errorf("an unknown request: %v", err)
			}
			if c.shutdown {
				e.call(protocol.MethodShutdown, nil, nil)
			}
			e.tell(protocol.MethodExit, nil)
			if err := <-e.ended; (err == nil) != c.shutdown {
				t.Errorf("the session ended with %v", err)
			}
		})
	}
}

// TestEditorGone: a server whose editor has died ends.
func TestEditorGone(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	if err := e.conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-e.ended; err != nil {
		t.Errorf("the session ended with %v", err)
	}
}
