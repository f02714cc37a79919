package main

// kind is a kind of part that can be begun.
type kind struct {
	// files are the skeletons of new files, by their paths.
	files map[string]string
	// edits are made to files that exist.
	edits []edit
	// more is how many files are left to touch by hand, generated ones not counted. next tells which.
	more int
	next string
	// generates is whether the API is another one, so that go generate has to write what repeats it.
	generates bool
}

// edit replaces a text that its file has once.
type edit struct{ file, anchor, with string }

// Anchors in the table of imports, which several kinds extend.
const (
	importsTable = "simcloud/imports_test.go"
	endOfImports = "}\n\n// stores are"
)

var kinds = map[string]kind{
	"oracle": {
		files: map[string]string{
			"scenarios/oracle/oracle_{Snake}.go":      "oracle.go.tmpl",
			"scenarios/oracle/oracle_{Snake}_test.go": "oracle_test.go.tmpl",
		},
		edits: []edit{
			{"scenarios/oracle/oracle.go", "\t\"leak\": ", "\t\"{Kebab}\": func(Given) Oracle { return &{Camel}Oracle{} },\n\t\"leak\": "},
			{"scenarios/scenario.go", "\"leak\",\n", "\"{Kebab}\", \"leak\",\n"},
			{"scenarios/README.md", "| oracle | what it checks |\n|---|---|\n", "| oracle | what it checks |\n|---|---|\n| `{Kebab}` | to do |\n"},
		},
		more: 1,
		next: "a mutant that the oracle detects (TestEachOracleHasAMutant names it as missing), then go generate ./scenarios/... and go test ./scenarios/syntax -run TestSchema -update",
	},
	"verb": {
		files: map[string]string{
			"scenarios/step/verb_{Snake}.go":      "verb.go.tmpl",
			"scenarios/step/verb_{Snake}_test.go": "verb_test.go.tmpl",
		},
		edits: []edit{
			{"scenarios/step/verb_table.go", "execVerb, trafficVerb,\n", "execVerb, trafficVerb, {Camel}Verb,\n"},
		},
		next: "run of scenarios/step/verb_{Snake}.go, then go generate ./scenarios/..., which writes the schema and the README's table",
	},
	"backend": {
		files: map[string]string{
			"e2e/{Flat}/backend.go":               "backend.go.tmpl",
			"e2e/{Flat}/backend_test.go":          "backend_test.go.tmpl",
			"cmd/internal/cli/backend_{Snake}.go": "backend_flags.go.tmpl",
		},
		edits: []edit{
			{"cmd/internal/cli/backend.go", "\tbackendSimulated = \"simulated\"\n", "\tbackendSimulated = \"simulated\"\n\tbackend{Title} = \"{Kebab}\"\n"},
			{"cmd/internal/cli/backend.go", "backendExisting, backendSimulated}", "backendExisting, backendSimulated, backend{Title}}"},
			{"cmd/internal/cli/backend.go", "\tcase backendExisting:\n", "\tcase backend{Title}:\n\t\treturn find{Title}(ctx, *o, progress)\n\tcase backendExisting:\n"},
			{importsTable, endOfImports, "\t\"e2e/{Flat}\": {\"e2e\"},\n" + endOfImports},
			{importsTable, "\"e2e/existing\", \"e2e/kind\", ", "\"e2e/existing\", \"e2e/{Flat}\", \"e2e/kind\", "},
		},
		next: "the methods of e2e/{Flat}/backend.go, and backendtest.Run in its test",
	},
	"dialect": {
		files: map[string]string{
			"simcloud/dialect/{Flat}/codec.go":      "dialect.go.tmpl",
			"simcloud/dialect/{Flat}/codec_test.go": "dialect_test.go.tmpl",
		},
		edits: []edit{
			{"simcloud/sim/dialect.go", "\t\t// One line for each dialect.\n", "\t\t// One line for each dialect.\n\t\t\"/{Flat}/\": {Flat}.Codec{Cloud: api},\n"},
			{"simcloud/sim/dialect.go", "import (\n", "import (\n\t\"github.com/simcloud-dev/simcloud/simcloud/dialect/{Flat}\"\n"},
			{importsTable, endOfImports, "\t\"simcloud/dialect/{Flat}\": {\"simcloud/edge\"},\n" + endOfImports},
			{importsTable, "\"simcloud/sim\":                {", "\"simcloud/sim\": {\"simcloud/dialect/{Flat}\", "},
		},
		next: "the operations in Match of simcloud/dialect/{Flat}/codec.go, and the tests of the cloud's own client library",
	},
	"resource": {
		files: map[string]string{
			"simcloud/{Flat}.go":                  "resource.go.tmpl",
			"simcloud/core/{Flat}.go":             "resource_core.go.tmpl",
			"simcloud/core/{Flat}_test.go":        "resource_test.go.tmpl",
			"cmd/internal/cli/resource/{Flat}.go": "resource_command.go.tmpl",
		},
		edits: []edit{
			{"simcloud/kind.go", "\tKindOperation      Kind = ", "\tKind{Title} Kind = \"{Snake}\"\n\tKindOperation      Kind = "},
			{"simcloud/kind.go", "\t{KindOperation, ", "\t{Kind{Title}, \"{Kebab}s\", func(s *State) int { return len(s.{Title}s) }},\n\t{KindOperation, "},
			{"simcloud/kind.go", "\tOperations      []", "\t{Title}s []{Title} `json:\"{Camel}s\"`\n\tOperations      []"},
			{"simcloud/api.go", "\tOperationAPI\n", "\t{Title}API\n\tOperationAPI\n"},
			{"simcloud/api.go", "// OperationAPI is about", resourceAPI + "\n// OperationAPI is about"},
			{"simcloud/endpoint.go", "\t{\"ListOperations\", ", resourceEndpoints + "\n\t{\"ListOperations\", "},
			{"simcloud/store/resources.go", "\t// Quotas are those", "\t{Title}s = Bucket[simcloud.{Title}, *simcloud.{Title}]{kind: simcloud.Kind{Title}, prefix: \"{Flat}-\"}\n\t// Quotas are those"},
			{"simcloud/store/resources.go", "Quotas, Operations,\n", "{Title}s, Quotas, Operations,\n"},
			{"simcloud/store/schema.go", "\t// For a new kind", "\tmakeBuckets, // for {Title}s\n\t// For a new kind"},
			{"simcloud/core/kind.go", "}\n\n// The kinds with rules", "\tkindOf(store.{Title}s, func(s *simcloud.State) *[]simcloud.{Title} { return &s.{Title}s }, nowhere),\n}\n\n// The kinds with rules"},
			{"cmd/internal/cli/resource/resource.go", "newClusterCommand(), ", "newClusterCommand(), new{Title}Command(), "},
			{"scenarios/observe/kind.go", "\t{simcloud.KindZone, ", "\t{simcloud.Kind{Title}, \"{Camel}s\", \"the cloud's {Words}s\", true, reflect.TypeFor[simcloud.{Title}]()},\n\t{simcloud.KindZone, "},
			{"scenarios/README.md", "`zones` ", "`{Camel}s` `zones` "},
		},
		generates: true,
		next:      "what the to-do test in simcloud/core/{Flat}_test.go names, then go generate ./...; the tests of the tables name as missing what else there is",
	},
}

// resourceAPI and resourceEndpoints are the operations of a new resource.
const (
	resourceAPI = `// {Title}API is about {Words}s.
type {Title}API interface {
	List{Title}s(ctx context.Context, opts ListOptions) (Page[{Title}], error)
	Get{Title}(ctx context.Context, id ID) ({Title}, error)
	Create{Title}(ctx context.Context, spec {Title}Spec, opts ...CallOption) (Result[{Title}], error)
	Delete{Title}(ctx context.Context, id ID, opts ...CallOption) (Operation, error)
}
`
	resourceEndpoints = `	{"List{Title}s", "GET", "/v1/{Kebab}s"},
	{"Get{Title}", "GET", "/v1/{Kebab}s/{id}"},
	{"Create{Title}", "POST", "/v1/{Kebab}s"},
	{"Delete{Title}", "DELETE", "/v1/{Kebab}s/{id}"},
`
)
