package sim_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// TestNoSecretsInTheJournal: what is secret in a request or an answer, in whichever format, and the caller's token, are
// not in what the journal keeps of bodies; what is asked for beside them is.
func TestNoSecretsInTheJournal(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-hunter2"
	cloud, native := simtest.Open(t)
	made, err := native.CreateToken(t.Context(), simcloud.TokenSpec{Name: "ci", Role: simcloud.RoleReader})
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range []struct{ path, media, auth, body, kept string }{
		{"/v1/instances", "application/json", "Bearer ", `{"name":"kept-1","labels":{"note":"` + cloud.Token() + `"},"userData":"` + secret + `"}`, `"userData":"[redacted]"`},
		{"/hcloud/v1/servers", "application/json", "Bearer ", `{"name":"kept-2","user_data":"` + secret + `"}`, `"user_data":"[redacted]"`},
		{"/hcloud/v1/certificates", "application/json", "Bearer ", `{"name":"kept-3","private_key":"` + secret + `"}`, `"private_key":"[redacted]"`},
		{
			"/aws", "application/x-www-form-urlencoded", "AWS4-HMAC-SHA256 Credential=",
			"Action=RunInstances&X-Amz-Security-Token=" + secret + "&UserData=" + secret, "UserData=[redacted]",
		},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, cloud.URL()+request.path, strings.NewReader(request.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", request.media)
		r.Header.Set("Authorization", request.auth+cloud.Token())
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		entries, err := native.ListJournal(t.Context(), simcloud.JournalFilter{Bodies: true})
		if err != nil || len(entries) == 0 {
			t.Fatalf("%v, %v", entries, err)
		}
		last := entries[len(entries)-1].Exchange
		if last == nil || last.Request != "POST "+request.path || last.Sent == nil || !strings.Contains(last.Sent.Text, request.kept) || last.Got == nil {
			t.Errorf("%s: %+v", request.path, last)
		}
	}
	all, err := native.ListJournal(t.Context(), simcloud.JournalFilter{Bodies: true})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	for name, secret := range map[string]string{"a field": secret, "the caller's token": cloud.Token(), "the new token": made.Resource.Secret} {
		if secret == "" || strings.Contains(string(raw), secret) {
			t.Errorf("the journal has the secret of %s: %s", name, raw)
		}
	}
	entry, err := native.GetJournalEntry(t.Context(), "1")
	if err != nil || entry.Operation != "CreateToken" || !strings.Contains(entry.Exchange.Got.Text, `"secret":"[redacted]"`) {
		t.Errorf("the first call is %+v, %v", entry.Exchange, err)
	}
}
