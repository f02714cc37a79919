// Package lsp is a server of the Language Server Protocol, by which editors show mistakes in scenario files, complete
// what is written and explain what is under the cursor. What it answers comes from the package language.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// Check finds what is wrong with the text of a file, as mistakes with positions; nil when it is in order.
type Check func(file string, text []byte) error

// Serve answers an editor until it says exit, its connection ends or ctx is done.
func Serve(ctx context.Context, editor io.ReadWriteCloser, version string, check Check) error {
	s := &server{version: version, check: check, open: map[protocol.DocumentURI]string{}, ended: make(chan struct{})}
	s.conn = jsonrpc2.NewConn(jsonrpc2.NewStream(editor))
	s.conn.Go(ctx, s.handle)
	select {
	case <-ctx.Done():
	case <-s.ended: // its reader may wait for more for ever: a standard input stays open
		if !s.shutdown {
			return errors.New("the editor said exit without shutdown before it")
		}
	case <-s.conn.Done():
		if err := s.conn.Err(); err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("the connection to the editor: %w", err)
		}
	}
	return nil
}

// server is the state of one editor's session. Requests are handled one after the other.
type server struct {
	version  string
	check    Check
	conn     jsonrpc2.Conn
	open     map[protocol.DocumentURI]string
	shutdown bool
	ended    chan struct{}
}

// handle answers a request, or takes note of a notification.
func (s *server) handle(ctx context.Context, reply jsonrpc2.Replier, request jsonrpc2.Request) error {
	answer, err := s.answer(ctx, request)
	return reply(ctx, answer, err)
}

func (s *server) answer(ctx context.Context, request jsonrpc2.Request) (any, error) {
	switch request.Method() {
	case protocol.MethodInitialize:
		return s.abilities(), nil
	case protocol.MethodShutdown:
		s.shutdown = true
		return nil, nil //nolint:nilnil // null is the answer that the protocol wants
	case protocol.MethodExit:
		close(s.ended)
		return nil, nil //nolint:nilnil // a notification has no answer
	case protocol.MethodTextDocumentDidOpen:
		return with(request, func(p protocol.DidOpenTextDocumentParams) (any, error) {
			return nil, s.changed(ctx, p.TextDocument.URI, p.TextDocument.Text)
		})
	case protocol.MethodTextDocumentDidChange:
		return with(request, func(p protocol.DidChangeTextDocumentParams) (any, error) {
			if len(p.ContentChanges) == 0 {
				return nil, nil //nolint:nilnil // a notification has no answer
			}
			return nil, s.changed(ctx, p.TextDocument.URI, p.ContentChanges[len(p.ContentChanges)-1].Text)
		})
	case protocol.MethodTextDocumentDidSave:
		return nil, s.checkAll(ctx)
	case protocol.MethodTextDocumentDidClose:
		return with(request, func(p protocol.DidCloseTextDocumentParams) (any, error) {
			delete(s.open, p.TextDocument.URI)
			return nil, s.publish(ctx, p.TextDocument.URI, nil)
		})
	case protocol.MethodTextDocumentCompletion:
		return with(request, func(p protocol.CompletionParams) (any, error) { return s.complete(p.TextDocumentPositionParams), nil })
	case protocol.MethodTextDocumentHover:
		return with(request, func(p protocol.HoverParams) (any, error) { return s.hover(p.TextDocumentPositionParams), nil })
	default:
		if strings.HasPrefix(request.Method(), "$/") || !isCall(request) {
			return nil, nil //nolint:nilnil // what is optional may be left alone
		}
		return nil, fmt.Errorf("%q: %w", request.Method(), jsonrpc2.ErrMethodNotFound)
	}
}

func isCall(request jsonrpc2.Request) bool {
	_, call := request.(*jsonrpc2.Call)
	return call
}

// with reads the parameters of a request.
func with[P any](request jsonrpc2.Request, do func(P) (any, error)) (any, error) {
	var params P
	if err := json.Unmarshal(request.Params(), &params); err != nil {
		return nil, fmt.Errorf("%w: %w", jsonrpc2.ErrInvalidParams, err)
	}
	return do(params)
}

func (s *server) abilities() protocol.InitializeResult {
	return protocol.InitializeResult{
		ServerInfo: &protocol.ServerInfo{Name: "simcloud", Version: s.version},
		Capabilities: protocol.ServerCapabilities{
			TextDocumentSync:   protocol.TextDocumentSyncOptions{OpenClose: true, Change: protocol.TextDocumentSyncKindFull, Save: &protocol.SaveOptions{}},
			CompletionProvider: &protocol.CompletionOptions{TriggerCharacters: []string{".", " ", "{"}},
			HoverProvider:      true,
		},
	}
}

// changed takes the text that a file has now, and shows what is wrong with it.
func (s *server) changed(ctx context.Context, uri protocol.DocumentURI, text string) error {
	s.open[uri] = text
	return s.publish(ctx, uri, s.mistakes(uri, text))
}

// checkAll looks at all files that are open: others may use the steps of one that was saved.
func (s *server) checkAll(ctx context.Context) error {
	for uri, text := range s.open {
		if err := s.publish(ctx, uri, s.mistakes(uri, text)); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) publish(ctx context.Context, uri protocol.DocumentURI, all []protocol.Diagnostic) error {
	if all == nil {
		all = []protocol.Diagnostic{} // null is no list
	}
	return s.conn.Notify(ctx, protocol.MethodTextDocumentPublishDiagnostics, protocol.PublishDiagnosticsParams{URI: uri, Diagnostics: all})
}

// isScenario reports whether a file is one of simcloud's: an editor asks about every YAML file.
func isScenario(text string) bool { return strings.Contains(text, scenarios.APIVersion) }

// mistakes are what is wrong with a file.
func (s *server) mistakes(uri protocol.DocumentURI, text string) (all []protocol.Diagnostic) {
	file, isFile := fileOf(uri)
	if !isFile || !isScenario(text) {
		return nil
	}
	lines := strings.Split(text, "\n")
	for _, err := range each(s.check(file, []byte(text))) {
		all = append(all, diagnostic(file, lines, err))
	}
	return all
}

// each are the mistakes of an error.
func each(err error) []error {
	var all scenarios.LoadError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &all):
		return all
	default:
		return []error{err}
	}
}
