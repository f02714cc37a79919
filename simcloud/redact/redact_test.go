package redact_test

import (
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud/redact"
)

// TestBody: secrets are out by the names of their fields, in each format, whole or cut, and all else is as it was.
func TestBody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body, want string }{
		{"nothing", "", ""},
		{"JSON without secrets", `{"name": "web", "size": 3, "on": true, "none": null}`, `{"name": "web", "size": 3, "on": true, "none": null}`},
		{"a list of JSON", `[1, "a", {"b": []}]`, `[1, "a", {"b": []}]`},
		{"a text", `{"secret":"hunter2-hunter2","name":"web"}`, `{"secret":"[redacted]","name":"web"}`},
		{"a number", `{"password": 17, "a": 1}`, `{"password": "[redacted]", "a": 1}`},
		{"what tells nothing", `{"token":null,"password":"","secret":true}`, `{"token":null,"password":"","secret":true}`},
		{"the id of a token", `{"caller":{"token":"tok-12"},"token":"tok-1a"}`, `{"caller":{"token":"tok-12"},"token":"[redacted]"}`},
		{"a list of tokens", `{"tokens":[{"id":"tok-1","secret":"hunter2-hunter2"}]}`, `{"tokens":[{"id":"tok-1","secret":"[redacted]"}]}`},
		{"an object", `{"kubeconfig":{"users":[{"x":"hunter2-hunter2 }"}]},"a":1}`, `{"kubeconfig":"[redacted]","a":1}`},
		{"user data", `{"userData":"hunter2-hunter2","user_data":"hunter2-hunter2"}`, `{"userData":"[redacted]","user_data":"[redacted]"}`},
		{"a name in capitals and dashes", `{"X-Amz-SIGNATURE":"hunter2-hunter2"}`, `{"X-Amz-SIGNATURE":"[redacted]"}`},
		{"an escaped name", `{"pass\u0077ord":"hunter2-hunter2"}`, `{"pass\u0077ord":"[redacted]"}`},
		{"an escaped quote", `{"secret":"a\"hunter2-hunter2","b":"c"}`, `{"secret":"[redacted]","b":"c"}`},
		{"the name of a field beside its value", `[{"key":"password","value":"hunter2-hunter2"},{"key":"a","value":"b"}]`, `[{"key":"password","value":"[redacted]"},{"key":"a","value":"b"}]`},
		{"what is wrong with a field", `{"errors":[{"field":"userData","detail":"\"hunter2-hunter2\" is no base64"}]}`, `{"errors":[{"field":"userData","detail":"[redacted]"}]}`},
		{"a key by its looks", `{"pem":"-----BEGIN PRIVATE KEY-----\nhunter2-hunter2"}`, `{"pem":"[redacted]"}`},
		{"a header by its looks", `{"curl":"-H 'Authorization: Bearer hunter2-hunter2'"}`, `{"curl":"[redacted]"}`},
		{"tokens of pages", `{"nextPageToken":"p2","a":1}`, `{"nextPageToken":"p2","a":1}`},
		{"a secret repeated", `{"secret":"hunter2-hunter2","note":"it is hunter2-hunter2"}`, `{"secret":"[redacted]","note":"it is [redacted]"}`},
		{"a cut text", `{"a":"b","secret":"hunter2-hun`, `{"a":"b","secret":"[redacted]"`},
		{"a cut object", `{"credentials":{"x":"hunter2-hun`, `{"credentials":"[redacted]"`},
		{"cut elsewhere", `{"a":[1,2,{"b":"c`, `{"a":[1,2,{"b":"c`},
		{"cut in a word", `{"a":tr`, `{"a":tr`},
		{"XML", `<A x="1"><B>b</B><C/></A>`, `<A x="1"><B>b</B><C/></A>`},
		{"an element", `<r><SecretAccessKey>hunter2-hunter2</SecretAccessKey><a>b</a></r>`, `<r><SecretAccessKey>[redacted]</SecretAccessKey><a>b</a></r>`},
		{"an element with others", `<r><s:Token a="b"><x>hunter2-hunter2</x><s:Token/></s:Token><a/></r>`, `<r><s:Token a="b">[redacted]</s:Token><a/></r>`},
		{"an attribute", `<r token='hunter2-hunter2' a="b"/>`, `<r token='[redacted]' a="b"/>`},
		{"a tag", `<t><key>password</key><value>hunter2-hunter2</value></t>`, `<t><key>password</key><value>[redacted]</value></t>`},
		{"a comment", `<t><!-- hunter2-hunter2 --><a/></t>`, `<t><a/></t>`},
		{"cut XML", `<t><Secret>hunter2-hunter2</Sec`, `<t><Secret>[redacted]`},
		{"a cut tag", `<t><Secr`, `<t><Secr`},
		{"a proxy's page", "<html>\r\n<head><title>502</title></head>", "<html>\r\n<head><title>502</title></head>"},
		{"a form", "Action=Run&UserData=hunter2-hunter2&A=b%20c", "Action=Run&UserData=[redacted]&A=b%20c"},
		{"an escaped name of a form", "Action=Run&User%44ata=hunter2-hunter2", "Action=Run&User%44ata=[redacted]"},
		{"a tag in a form", "Tag.1.Key=password&Tag.1.Value=hunter2-hunter2&Tag.2.Value=b", "Tag.1.Key=password&Tag.1.Value=[redacted]&Tag.2.Value=b"},
		{"a cut form", "a=b&X-Amz-Security-Token=hunter2-h", "a=b&X-Amz-Security-Token=[redacted]"},
		{"plain words", "the cloud is closed", "the cloud is closed"},
		{"a long word", "it is abcdefghij0123456789XYZ.", "it is [redacted]."},
		{"words about secrets", "pass-word: hunter2-hunter2", "[redacted: 26 bytes that are neither JSON nor XML nor a form]"},
		{"nearly JSON", `{secret: "hunter2-hunter2"}`, "[redacted: 27 bytes that are neither JSON nor XML nor a form]"},
		{"JSON without a colon", `{"secret" "hunter2-hunter2"}`, "[redacted: 28 bytes that are neither JSON nor XML nor a form]"},
		{"JSON after JSON", `{} {"secret":"hunter2-hunter2"}`, "[redacted: 31 bytes that are neither JSON nor XML nor a form]"},
		{"XML with an open attribute", `<a token=hunter2-hunter2>`, "[redacted: 25 bytes that are neither JSON nor XML nor a form]"},
		{"no text", "{\"a\":\"\xff\"}", "{\"a\":\"\uFFFD\"}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r redact.Redactor
			if got := r.Body([]byte(c.body), false); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestCutAnywhere: wherever a body is cut, its secret does not show.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"a":[{"name":"x"}],"secret":"hunter2-hunter2","credentials":{"k":["hunter2-hunter2"]},"z":1}`,
		`<r a="b"><Secret>hunter2-hunter2</Secret><x token="hunter2-hunter2"/><Token><k>hunter2-hunter2</k></Token></r>`,
		`A=b&Password=hunter2-hunter2&Tag.1.Key=token&Tag.1.Value=hunter2-hunter2`,
	} {
		for cut := range body {
			var r redact.Redactor
			if got := r.Body([]byte(body[:cut]), true); strings.Contains(got, "hunter2") {
				t.Errorf("cut at %d: %s", cut, got)
			}
		}
	}
}

// TestKnown: a secret of a header, or of the request, is out of every other text.
func TestKnown(t *testing.T) {
	t.Parallel()
	var r redact.Redactor
	r.Know("s-\"quoted\"-1")
	r.Body([]byte(`{"password":"hunter2-hunter2"}`), false)
	for body, want := range map[string]string{
		"no such token as s-\"quoted\"-1, a stranger's": "[redacted: 43 bytes that are neither JSON nor XML nor a form]",
		`{"detail":"hunter2-hunter2 is too short"}`:     `{"detail":"[redacted] is too short"}`,
		`{"detail":"not s-\"quoted\"-1"}`:               `{"detail":"not [redacted]"}`,
		"<m>hunter2-hunter2</m>":                        "<m>[redacted]</m>",
	} {
		if got := r.Body([]byte(body), false); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got, want := r.Query("id=i-1&X-Amz-Signature=ab%20c&q=hunter2-hunter2"), "id=i-1&X-Amz-Signature=[redacted]&q=[redacted]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestKnownCut: a secret that was cut is out of an answer that has it whole, and one that is known out of an answer that is cut.
func TestKnownCut(t *testing.T) {
	t.Parallel()
	for request, cut := range map[string]bool{
		`{"userData":"hunter2-hunter2`: true, `{"userData":"hunter2-hunter2-hunter3"}`: false,
		"<userData>hunter2-hunter2": true, "UserData=hunter2-hunter2": true,
	} {
		var r redact.Redactor
		r.Body([]byte(request), cut)
		if got, want := r.Body([]byte(`{"note":"hunter2-hunter2-hunter3"}`), false), `{"note":"[redacted]`; !strings.HasPrefix(got, want) {
			t.Errorf("after %s: %s", request, got)
		}
		if got, want := r.Body([]byte(`{"note":"hunter2-hun`), true), `{"note":"[redacted]`; got != want {
			t.Errorf("after %s: %s", request, got)
		}
	}
}

// BenchmarkBody is what redaction costs of an answer as long as is kept.
func BenchmarkBody(b *testing.B) {
	one := `{"id":"i-1","name":"node-1","labels":{"pool":"a"},"addresses":["10.0.0.1"],"userData":"x","state":"running"},`
	body := []byte(("[" + strings.Repeat(one, 40))[:4096])
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		var r redact.Redactor
		r.Body(body, true)
	}
}
