package server_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// document reads the description of the interface, without a token.
func (s *serving) document(t *testing.T) map[string]any {
	t.Helper()
	res, raw := s.send(t, "GET", "/openapi.json", "", "Authorization", "")
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %s", res.StatusCode, res.Header.Get("Content-Type"))
	}
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// at walks down objects.
func at(v any, keys ...string) any {
	for _, key := range keys {
		object, _ := v.(map[string]any)
		v = object[key]
	}
	return v
}

// TestDocumentHasEveryOperation: each endpoint is described once, with its path's parameters, and with a success.
func TestDocumentHasEveryOperation(t *testing.T) {
	t.Parallel()
	doc := serve(t).document(t)
	described := 0
	for _, item := range at(doc, "paths").(map[string]any) {
		described += len(item.(map[string]any))
	}
	if want := len(simcloud.Endpoints()); described != want {
		t.Errorf("%d operations are described, there are %d", described, want)
	}
	for _, e := range simcloud.Endpoints() {
		op, ok := at(doc, "paths", e.Path, strings.ToLower(e.Method)).(map[string]any)
		if !ok {
			t.Errorf("%s is not described", e.Operation)
			continue
		}
		if op["operationId"] != e.Operation || op["summary"] == "" || len(op["tags"].([]any)) != 1 || op["tags"].([]any)[0] == "" {
			t.Errorf("%s: %v %v %v", e.Operation, op["operationId"], op["summary"], op["tags"])
		}
		var want, got []string
		for _, name := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(e.Path, -1) {
			want = append(want, name[1])
		}
		for _, p := range op["parameters"].([]any) {
			if at(p, "in") == "path" {
				got = append(got, at(p, "name").(string))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: parameters of the path (-want +got):\n%s", e.Operation, diff)
		}
		if responses := op["responses"].(map[string]any); responses["200"] == nil && responses["201"] == nil || responses["401"] == nil || responses["429"] == nil {
			t.Errorf("%s: responses %v", e.Operation, responses)
		}
	}
}

// fieldsOf are the fields that OpenAPI 3.1 gives its objects, and of them those that must be there.
var fieldsOf = map[string]struct{ may, must string }{
	"document":   {"openapi info jsonSchemaDialect servers paths webhooks components security tags externalDocs", "openapi info paths"},
	"info":       {"title summary description termsOfService contact license version", "title version"},
	"operation":  {"tags summary description externalDocs operationId parameters requestBody responses callbacks deprecated security servers", "responses"},
	"parameter":  {"name in description required deprecated allowEmptyValue style explode schema example examples content", "name in"},
	"body":       {"description content required", "content"},
	"media":      {"schema example examples encoding x-event-data", ""},
	"response":   {"description headers content links", "description"},
	"header":     {"description required deprecated style schema example examples content", ""},
	"components": {"schemas responses parameters examples requestBodies headers securitySchemes links callbacks pathItems", ""},
	"security":   {"type description name in scheme bearerFormat flows openIdConnectUrl", "type scheme"},
	"tag":        {"name description externalDocs", "name"},
}

// rules holds a document against what OpenAPI 3.1 asks of one.
type rules struct {
	*testing.T
	doc any
}

// object checks the fields of an object, unless it is a reference, and returns it.
func (r rules) object(kind string, v any, where string) map[string]any {
	r.Helper()
	object, ok := v.(map[string]any)
	if !ok {
		r.Errorf("%s is no object: %v", where, v)
		return nil
	}
	if ref, ok := object["$ref"].(string); ok {
		if at(r.doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...) == nil {
			r.Errorf("%s: %s leads nowhere", where, ref)
		}
		return nil
	}
	for name := range object {
		if !slices.Contains(strings.Fields(fieldsOf[kind].may), name) {
			r.Errorf("%s: a %s has no %s", where, kind, name)
		}
	}
	for _, name := range strings.Fields(fieldsOf[kind].must) {
		if _, ok := object[name]; !ok {
			r.Errorf("%s: a %s needs %s", where, kind, name)
		}
	}
	return object
}

func (r rules) each(v any, fn func(name string, v any)) {
	object, _ := v.(map[string]any)
	for name, value := range object {
		fn(name, value)
	}
}

func (r rules) content(v any, where string) {
	r.each(v, func(name string, v any) { r.object("media", v, where+" "+name) })
}

func (r rules) response(v any, where string) {
	response := r.object("response", v, where)
	r.content(response["content"], where)
	r.each(response["headers"], func(name string, v any) { r.object("header", v, where+" "+name) })
}

func (r rules) operation(v any, where string) {
	op := r.object("operation", v, where)
	seen := map[string]bool{}
	for _, p := range op["parameters"].([]any) {
		parameter := r.object("parameter", p, where)
		if parameter == nil {
			continue
		}
		id := parameter["in"].(string) + parameter["name"].(string)
		if seen[id] {
			r.Errorf("%s: %s is there twice", where, id)
		}
		seen[id] = true
	}
	if body, ok := op["requestBody"]; ok {
		r.content(r.object("body", body, where)["content"], where)
	}
	r.each(op["responses"], func(status string, v any) { r.response(v, where+" "+status) })
}

// TestDocumentIsOpenAPI holds the document against the rules of OpenAPI 3.1.
func TestDocumentIsOpenAPI(t *testing.T) {
	t.Parallel()
	doc := serve(t).document(t)
	r := rules{t, doc}
	r.object("document", doc, "the document")
	r.object("info", doc["info"], "info")
	if !strings.HasPrefix(doc["openapi"].(string), "3.1.") {
		t.Errorf("openapi: %v", doc["openapi"])
	}
	for _, tag := range doc["tags"].([]any) {
		if at(r.object("tag", tag, "tags"), "description") == nil {
			t.Errorf("the tag %v has no description", tag)
		}
	}
	r.each(doc["paths"], func(path string, item any) {
		r.each(item, func(method string, op any) { r.operation(op, method+" "+path) })
	})
	components := r.object("components", doc["components"], "components")
	r.each(components, func(kind string, all any) {
		r.each(all, func(name string, v any) {
			if !regexp.MustCompile(`^[a-zA-Z0-9._-]+$`).MatchString(name) {
				t.Errorf("%s cannot be called %q", kind, name)
			}
			if object := strings.TrimSuffix(kind, "s"); fieldsOf[object].may != "" {
				r.object(object, v, name)
			}
		})
	})
	r.each(components["responses"], func(name string, v any) { r.response(v, name) })
}

// TestDocumentSchemas: each schema is one of JSON Schema 2020-12, what it
// refers to is there, and objects say which fields they can have.
func TestDocumentSchemas(t *testing.T) {
	t.Parallel()
	s := serve(t)
	_, raw := s.send(t, "GET", "/openapi.json", "")
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("openapi.json", value); err != nil {
		t.Fatal(err)
	}
	for name, schema := range at(value, "components", "schemas").(map[string]any) {
		if _, err := compiler.Compile("openapi.json#/components/schemas/" + name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if at(schema, "type") == "object" && at(schema, "additionalProperties") == nil {
			t.Errorf("%s does not say which fields it has", name)
		}
		if at(schema, "description") == nil && !strings.HasSuffix(name, "State") {
			t.Errorf("%s has no description", name)
		}
	}
	for path, want := range map[string]any{
		"Instance/properties/state/$ref":                    "#/components/schemas/InstanceState",
		"InstanceState/enum":                                "pending running stopping stopped rebooting rebuilding migrating suspended error terminating",
		"Instance/properties/unreachable/description":       "Unreachable is whether the machine does not answer though its state says that it runs: its zone is down.",
		"ClockMode/description":                             "ClockMode is how the cloud's clock runs. (scaled: Factor times as fast as real time; manual: stands still but for AdvanceClock)",
		"InstanceSpec/required":                             "name",
		"InstanceSpec/additionalProperties":                 false,
		"InstanceResult/properties/resource/$ref":           "#/components/schemas/Instance",
		"Config/properties/progressions/propertyNames/$ref": "#/components/schemas/Kind",
		"Problem409/properties/code/enum":                   "already_exists capacity in_use protected",
		"Problem400/properties/code/enum":                   "invalid",
		"ListenerSpec/properties/targetPort/type":           "integer",
		"InstancePage/properties/items/items/$ref":          "#/components/schemas/Instance",
		"FaultEffect/properties/error/$ref":                 "#/components/schemas/FaultProblem",
		"Event/properties/time/format":                      "date-time",
	} {
		got := at(at(value, "components", "schemas"), strings.Split(path, "/")...)
		if list, ok := got.([]any); ok {
			var words []string
			for _, v := range list {
				words = append(words, v.(string))
			}
			got = strings.Join(words, " ")
		}
		if got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}

// TestDocumentHasEveryParameter: what the server knows of queries is what is described.
func TestDocumentHasEveryParameter(t *testing.T) {
	t.Parallel()
	s := serve(t)
	doc := s.document(t)
	for _, e := range simcloud.Endpoints() {
		if e.Method != http.MethodGet {
			continue
		}
		var names []string
		for _, p := range at(doc, "paths", e.Path, "get", "parameters").([]any) {
			if at(p, "in") == "query" {
				names = append(names, at(p, "name").(string))
			}
		}
		if names == nil {
			names = []string{"none"}
		}
		p := s.refused(t, "GET", e.Path+"?rain=1", "", http.StatusUnprocessableEntity, simcloud.Invalid)
		known := strings.Split(strings.TrimPrefix(p.Errors[0].Detail, "unknown parameter; known parameters: "), ", ")
		slices.Sort(names)
		slices.Sort(known)
		if diff := cmp.Diff(names, known); diff != "" {
			t.Errorf("%s (-described +known):\n%s", e.Operation, diff)
		}
	}
}

// TestDocs: the page for humans has every operation and needs no other page, style or script.
func TestDocs(t *testing.T) {
	t.Parallel()
	s := serve(t)
	res, raw := s.send(t, "GET", "/docs", "", "Authorization", "")
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		t.Fatalf("%d %s", res.StatusCode, res.Header.Get("Content-Type"))
	}
	page := string(raw)
	ids := map[string]bool{}
	for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ids[id[1]] {
			t.Errorf("%s is there twice", id[1])
		}
		ids[id[1]] = true
	}
	sim := strings.Index(page, "<h2>The simulator: <code>/_sim/</code></h2>")
	for _, e := range simcloud.Endpoints() {
		at := strings.Index(page, `id="`+e.Operation+`" class="operation"`)
		if at < 0 || strings.HasPrefix(e.Path, "/_sim/") != (at > sim) {
			t.Errorf("%s is not on the page, or not on its side", e.Operation)
			continue
		}
		part, _, _ := strings.Cut(page[at:], "</details>")
		if !strings.Contains(part, "<pre>curl ") || !strings.Contains(part, `<pre class="answer">`) {
			t.Errorf("%s has no example of a request and a response", e.Operation)
		}
	}
	for _, guide := range []string{"auth", "paging", "errors", "idempotency", "consistency", "faults"} {
		if !ids["guide-"+guide] {
			t.Errorf("there is no guide to %s", guide)
		}
	}
	for _, target := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if id, ok := strings.CutPrefix(target[1], "#"); ok && !ids[id] || !ok && target[1] != "/openapi.json" && target[1] != "data:," {
			t.Errorf("a link to %s leads nowhere, or out of the page", target[1])
		}
	}
	for _, text := range []string{
		`curl -X POST -H &#34;Authorization: Bearer $SIMCLOUD_TOKEN&#34;`,
		`&#34;$SIMCLOUD_ENDPOINT/v1/instances&#34; \`, `-d &#39;{`,
		"Idempotency-Key", "rate_limited: Too many requests",
	} {
		if !strings.Contains(page, text) {
			t.Errorf("the page does not have %s", text)
		}
	}
	if strings.Contains(page, "ZgotmplZ") || strings.Contains(page, "@import") || strings.Contains(page, "url(") {
		t.Error("the page has what the template did not trust, or what is loaded")
	}
}
