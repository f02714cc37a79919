package strictjson_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/simcloud-dev/simcloud/simcloud/strictjson"
)

func TestText(t *testing.T) {
	for text, wrong := range map[string]string{
		`{"a":"ä \u00e4 \ud83d\ude00 \\ud83d \ufffd"}`: "", "": "", `\`: "", `\u`: "", `\u12`: "", `"\uzzzz"`: "",
		"\"a\xff\"":            "not UTF-8 (byte 2)",
		`"\ud83d"`:             `\ud83d is half of a character: a surrogate pair is needed (byte 1)`,
		`"\ude00"`:             "(byte 1)",
		`"\ud83d\u0041"`:       "(byte 1)",
		`"\ud83d\\ude00"`:      "(byte 1)",
		`"\\\ud83d x"`:         "(byte 3)",
		`"\ud83d\ud83d"`:       "(byte 1)",
		`"\ud83d\ude00\ude00"`: "(byte 13)",
	} {
		err := strictjson.Text([]byte(text))
		if wrong == "" && err != nil || wrong != "" && (err == nil || !strings.Contains(err.Error(), wrong)) {
			t.Errorf("%s: %v, want %q", text, err, wrong)
		}
	}
}

// FuzzText: of JSON that passes, a decoder replaces nothing.
func FuzzText(f *testing.F) {
	for _, seed := range []string{`"\ud83d\ude00"`, `"\ud83d"`, "\"\xff\"", `"\\ud83d"`, `"\ufffd"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := strictjson.Text([]byte(text))
		var value string
		if json.Unmarshal([]byte(text), &value) != nil || strings.ContainsRune(text, utf8.RuneError) && utf8.ValidString(text) || strings.Contains(strings.ToLower(text), `\ufffd`) {
			return
		}
		if replaced := strings.ContainsRune(value, utf8.RuneError); replaced != (err != nil) {
			t.Errorf("%q is %q, and Text says %v", text, value, err)
		}
	})
}
