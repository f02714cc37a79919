package cli

import (
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

// TestSuggestions: wrong input gets what was probably meant, or what would be right.
func TestSuggestions(t *testing.T) {
	for line, want := range map[string]string{
		"get instances":                     `did you mean "simcloud instance list"?`,
		"get instance node-1":               `did you mean "simcloud instance get node-1"?`,
		"get instance/i-1":                  `did you mean "simcloud instance get i-1"?`,
		"describe lb web":                   `did you mean "simcloud lb get web -o yaml"?`,
		"instance describe web-1":           `did you mean "simcloud instance get web-1 -o yaml"?`,
		"lb remove web":                     `did you mean "simcloud lb delete web"?`,
		"clock describe":                    `did you mean "simcloud clock get -o yaml"?`,
		"fault break delay":                 `simcloud fault has no command "break": see`,
		"delete floating-ips a b":           `did you mean "simcloud fip delete a b"?`,
		"ps":                                `did you mean "simcloud sandbox list"?`,
		"get sandboxes":                     `did you mean "simcloud sandbox list"?`,
		"get pods":                          `simcloud has no command "get": `,
		"instance lst":                      "did you mean get or list?",
		"instance create a --typ small":     "unknown flag: --typ: did you mean --type?",
		"instance create a --bogus":         "unknown flag: --bogus\n",
		"instance list -y":                  "unknown shorthand flag: 'y' in -y\n",
		"config set --stale-lists 3":        `invalid --stale-lists "3": a duration needs a unit, such as 3s`,
		"config set --stale-lists soon":     `invalid --stale-lists "soon": want a duration such as 500ms`,
		"instance list -w=perhaps":          `invalid --watch "perhaps": want true or false`,
		"target-group create a --port http": `invalid --port "http": want a whole number`,
		"up --seed -1":                      `invalid --seed "-1": want a whole number that is not negative`,
		"instance list -o xml":              "table, wide, json",
		"status --sandbx default":           "did you mean --sandbox?",
	} {
		code, out, errs := simcloudMain(strings.Fields(line)...)
		if code != exit.CodeUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: code %d, %q, %s; want %q", line, code, out, errs, want)
		}
		if strings.Contains(errs, "strconv") || strings.Contains(errs, "time: ") {
			t.Errorf("%s: %s has the words of Go", line, errs)
		}
	}
	t.Setenv("SIMCLOUD_TIMEOUT", "5")
	if code, _, errs := simcloudMain("instance", "list"); code != exit.CodeUsage || !strings.Contains(errs, `SIMCLOUD_TIMEOUT="5": a duration needs a unit, such as 5s`) {
		t.Errorf("code %d, %s", code, errs)
	}
}
