package step_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/golden"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

const operationsHead = `# Operations and variables of scenarios

Made by ` + "`go test ./scenarios/step -run TestOperationsDoc -update`" + ` from the types that the loader checks scenarios by.
` + "`simcloud scenario explain NAME`" + ` shows the same of one name, and of the fields below it: ` + "`simcloud scenario explain nodes.status`" + `.

## Variables

What expressions read. A map is indexed by name, as in ` + "`nodes[\"node-1\"]`" + `, a list by number.

| variable | type | what it is | fields |
|---|---|---|---|
`

const operationsMiddle = `
## Operations

What the verb ` + "`cloud`" + ` calls: ` + "`cloud: {operation: CreateInstance, args: {name: web}, capture: made}`" + `. What is captured has the fields of
the answer, as in ` + "`made.resource.id`" + `. A parameter of type ` + "`any`" + ` is a mapping or a list, which
` + "`/docs`" + ` of a running cloud describes.

| operation | arguments | fields of the answer |
|---|---|---|
`

// TestOperationsDoc holds docs/operations.md to the types of the API.
func TestOperationsDoc(t *testing.T) {
	page := &strings.Builder{}
	page.WriteString(operationsHead)
	for _, v := range expr.Variables {
		e, err := step.Explain(v.Name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(page, "| `%s` | %s | %s | %s |\n", v.Name, e.Type, e.Doc, namesOf(e.Fields))
	}
	page.WriteString(operationsMiddle)
	for _, name := range syntax.OperationNames() {
		e, err := step.Explain(name)
		if err != nil {
			t.Fatal(err)
		}
		arguments := namesOf(e.Arguments)
		if e.Doc != "" {
			arguments = e.Doc
		}
		fmt.Fprintf(page, "| `%s` | %s | %s |\n", name, arguments, namesOf(e.Fields))
	}
	golden.Check(t, "../../docs/operations.md", []byte(page.String()))
}

// namesOf lists fields, with the type of those that are no texts and the words of those that are one of some.
func namesOf(fields []step.Field) string {
	var all []string
	for _, f := range fields {
		text := "`" + f.Name + "`"
		switch {
		case len(f.Words) > 0:
			text += " (" + strings.Join(f.Words, ", ") + ")"
		case f.Type != "string":
			text += " " + f.Type
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}
