package ccm

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/ccm/budget"
)

var updateDocs = flag.Bool("update-docs", false, "rewrite the generated tables of docs/ccm.md")

//go:generate go test -run ^TestDocs$ -update-docs .

const docsFile = "../docs/ccm.md"

// generated finds the parts of docs/ccm.md that are written by this test.
var generated = regexp.MustCompile(`(?s)(<!-- generated: ([a-z]+) -->\n).*?(<!-- end -->)`)

// TestDocs holds the tables of docs/ccm.md against the comments and the
// behaviour that they are made of. What a user can set or meets and that has no
// comment is a mistake, too.
func TestDocs(t *testing.T) {
	t.Parallel()
	have, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	src := readSources(t)
	tables := map[string]string{
		"config":      src.configTable(t),
		"annotations": src.constantTable(t, "annotation", "value and meaning", "annotation."),
		"labels":      src.constantTable(t, "label", "meaning", "label."),
		"events":      src.constantTable(t, "reason", "when", "lb.Reason", "volume.Reason"),
		"metrics":     src.metricTable(t),
		"calls":       callTable(t, src),
		"budget":      budgetTable(),
	}
	want := generated.ReplaceAllStringFunc(string(have), func(part string) string {
		m := generated.FindStringSubmatch(part)
		table, known := tables[m[2]]
		if !known {
			t.Errorf("docs/ccm.md has a part %q, which nothing generates", m[2])
		}
		delete(tables, m[2])
		return m[1] + table + m[3]
	})
	for name := range tables {
		t.Errorf("docs/ccm.md has no part <!-- generated: %s -->", name)
	}
	if *updateDocs {
		if err := os.WriteFile(docsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(have)); diff != "" {
		t.Errorf("docs/ccm.md is not current: go generate ./ccm (-want +have):\n%s", diff)
	}
}

// markdownTable is a table of Markdown.
func markdownTable(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	line(head)
	b.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, row := range rows {
		escaped := make([]string, len(row))
		for i, cell := range row {
			escaped[i] = strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(cell)
		}
		line(escaped)
	}
	return b.String()
}

// budgetTable says what clusters cost, by the formula that the tests hold the provider to.
func budgetTable() string {
	var rows [][]string
	for _, nodes := range []int{1, 10, 100, 1000} {
		s := budget.Shape{Nodes: nodes, Services: 20}
		rows = append(rows, []string{
			strconv.Itoa(nodes), strconv.Itoa(s.Idle(time.Minute).Reads), strconv.Itoa(s.Start().Reads),
			fmt.Sprint(s.Initialization(10*time.Second).Reads, " and ", s.Initialization(10*time.Second).Writes),
			fmt.Sprint(s.CreateServices().Reads, " and ", s.CreateServices().Writes),
			fmt.Sprint(s.ChangeNodes(1).Reads, " and ", s.ChangeNodes(1).Writes),
			fmt.Sprint(s.DeleteServices().Reads, " and ", s.DeleteServices().Writes),
		})
	}
	return markdownTable([]string{"nodes", "idle, a minute", "a new process", "all nodes join within 10 s", "the Services come", "one node more or less", "the Services go"}, rows)
}

func asCode(s string) string { return fmt.Sprintf("`%s`", s) }
