package cloud

import (
	"bytes"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
)

// TestShowDialect: a configuration file is shown whole, so that it can be copied.
func TestShowDialect(t *testing.T) {
	t.Parallel()
	d := dialect.Dialect{Name: "moon", Files: []dialect.File{{Name: "moon.conf", Purpose: "--config", Content: "[Global]\nPhase = full\n"}}}
	for format, want := range map[output.Format]string{
		output.FormatTable: "\n# moon.conf: --config\n[Global]\nPhase = full\n\nOPERATION ", output.FormatJSON: `"content": "[Global]\nPhase = full\n"`,
	} {
		var out bytes.Buffer
		if err := printDialect(&out, format, d); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: got %q, %v; want %q", format, out.String(), err, want)
		}
	}
}

// TestShowDialectConfig: a configuration file has the URL and the token of the cloud in it.
func TestShowDialectConfig(t *testing.T) {
	t.Parallel()
	d := dialect.Dialect{Name: "moon", Files: []dialect.File{{Name: "moon.conf", Content: "url={endpoint}/moon\nsecret={token}\n"}}}
	var out bytes.Buffer
	if err := printDialectConfig(&out, d, "http://cloud", "s3"); err != nil || out.String() != "url=http://cloud/moon\nsecret=s3\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	if err := printDialectConfig(&out, dialect.Dialect{Name: "sun"}, "http://cloud", "s3"); err == nil || !strings.Contains(err.Error(), "simcloud dialect show sun") {
		t.Errorf("got %v, want an error that names what sun has", err)
	}
}
