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
			{"cmd/internal/cli/backend.go", "\tbackendExisting = \"existing\"\n", "\tbackendExisting = \"existing\"\n\tbackend{Title} = \"{Kebab}\"\n"},
			{"cmd/internal/cli/backend.go", "backendKind, backendExisting}", "backendKind, backendExisting, backend{Title}}"},
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
}
