package providerid

import "testing"

func TestParseProviderID(t *testing.T) {
	t.Parallel()
	got, err := Parse("simcloud://region-1/i-7")
	if want := (ID{"region-1", "i-7"}); err != nil || got != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	for _, id := range []string{
		"", "i-7", "kind://docker/kind/node", "kubemark://node-1", "simcloud:region-1/i-7", "SIMCLOUD://region-1/i-7",
		"simcloud://", "simcloud:///i-7", "simcloud://region-1", "simcloud://region-1/", "simcloud://region-1/a/b",
		"simcloud://region-1/i 7", "xsimcloud://region-1/i-7", "simclouds://region-1/i-7",
	} {
		if got, err := Parse(id); err == nil {
			t.Errorf("ParseProviderID(%q) = %v; want an error", id, got)
		}
	}
}

func FuzzParseProviderID(f *testing.F) {
	for _, seed := range []string{"simcloud://region-1/i-7", "simcloud:///", "kind://a/b", "simcloud://r/i/x", "simcloud://a b/c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		parsed, err := Parse(id)
		if err != nil {
			if parsed != (ID{}) {
				t.Errorf("ParseProviderID(%q) returns %v beside its error", id, parsed)
			}
			return
		}
		if parsed.String() != id {
			t.Errorf("ParseProviderID(%q).String() = %q", id, parsed.String())
		}
		if parsed.Region == "" || parsed.Instance == "" {
			t.Errorf("ParseProviderID(%q) = %+v: a part is empty", id, parsed)
		}
	})
}
