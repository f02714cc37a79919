// Package console is the page at / of a cloud: it shows what the cloud has and does, follows it live,
// and acts on it. The page is files without secrets. What it shows it reads from the API of the cloud,
// as any other client, with a token that its user brings.
package console

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"net/url"
	"path"
	"strings"
)

//go:embed *.html *.css *.js
var files embed.FS

// Path is the beginning of the paths of all files but the page itself.
const Path = "/console/"

// page is the file that is served at /.
const page = "console.html"

// tokenKey is what the token is called in the fragment of a link.
const tokenKey = "token"

// Link is the URL that opens the console of a cloud, for the caller with the token. The token
// is in the fragment, which browsers do not send: no server and no log of one gets to see it.
func Link(endpoint, token string) string {
	link := strings.TrimSuffix(endpoint, "/") + "/"
	if token == "" {
		return link
	}
	return link + "#" + tokenKey + "=" + url.QueryEscape(token)
}

// policy lets the page load its own files and call its own cloud, and nothing else: no code that is
// in the page or made of a text, no frame around it, no form that sends something away.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
}

// Wanted reports whether who asks is a browser that shows pages, rather than a program that reads text.
func Wanted(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}

// Handler serves the page at / and the other files below Path.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := page
		if r.URL.Path != "/" {
			name = strings.TrimPrefix(r.URL.Path, Path)
		}
		serve(w, r, name)
	})
}

// serve sends a file. It has to be asked for each time, since another version of the program may answer
// at the same address next; what has not changed is not sent again.
func serve(w http.ResponseWriter, r *http.Request, name string) {
	raw, err := files.ReadFile(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	sum := sha256.Sum256(raw)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	header := w.Header()
	header.Set("Content-Type", mediaTypes[path.Ext(name)])
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "no-cache")
	header.Set("Vary", "Accept")
	header.Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(raw) // a client that has gone is not our concern
}
