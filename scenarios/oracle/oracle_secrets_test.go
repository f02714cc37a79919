package oracle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/control"
)

func TestSecretOracle(t *testing.T) {
	t.Parallel()
	jwt := "eyJhbGciOi." + strings.Repeat("cGF5bG9hZA", 20) + "." + strings.Repeat("c2lnbmF0dXJl", 12)
	tests := []struct{ name, line, says string }{
		{"nothing", "I1121 no secret here\n", ""},
		{"the token", "I1121 token=tok-0123456789abcdef\n", "I1121 token=<token of the cloud>"},
		{"the token in base64", "I1121 dG9rLTAxMjM0NTY3ODlhYmNkZWY=\n", "<token of the cloud>"},
		{"a token in three parts", "I1121 Authorization: Bearer " + jwt + "\n", "I1121 Authorization: Bearer <token of the cluster>"},
		{"a token that ends with a short part", "I1121 dotted=a.secret.x, and x\n", "I1121 dotted=<dotted token>"},
		{"a line with that part alone", "I1121 x\n", ""},
		{"the end of which is cut off", "I1121 Authorization: Bearer " + jwt[:280] + "\n", "<token of the cluster>"},
		{"what it says without being secret", "I1121 Bearer " + jwt[:100] + "\n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			log := filepath.Join(t.TempDir(), "ccm.log")
			write := func(text string) {
				if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			before := "I1121 of another scenario: tok-0123456789abcdef\n"
			write(before)
			o := newSecretOracle([]string{log, log + "-none"}, func() []control.Secret {
				return []control.Secret{{What: "token of the cloud", Value: "tok-0123456789abcdef"}, {What: "token of the cluster", Value: jwt}, {What: "nothing", Value: "a"}, {What: "dotted token", Value: "a.secret.x"}}
			})
			write(before + test.line)
			said := ""
			for _, f := range o.verdict(nil, nil) {
				said += f.String()
			}
			if (said == "") != (test.says == "") || !strings.Contains(said, test.says) {
				t.Errorf("it said %q, want %q", said, test.says)
			}
			if strings.Contains(said, "tok-0123456789abcdef") || strings.Contains(said, jwt[250:]) {
				t.Error("the oracle tells the secret itself")
			}
		})
	}
	if got := newSecretOracle(nil, nil).verdict(nil, nil); got != nil {
		t.Errorf("in a world without secrets it says %v", got)
	}
}
