package kubeapitest

import (
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	ok := CaseAnswers{{Status: 200, Body: map[string]any{"port": int64(80)}}}
	same := CaseAnswers{{Status: 200, Body: map[string]any{"port": float64(80)}}}
	other := CaseAnswers{{Status: 200, Body: map[string]any{"port": float64(81)}}}
	tests := map[string]struct {
		want, got     CaseAnswers
		known         string
		failure, skip string
	}{
		"Same":        {ok, same, "", "", ""},
		"Differs":     {ok, other, "", "the port stays", ""},
		"Known":       {ok, other, "no ports", "", "no ports"},
		"KnownIsGone": {ok, same, "no ports", "remove it", ""},
		"NotRecorded": {nil, same, "", "-update", ""},
		"NotAnswered": {ok, nil, "", "the port stays", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := judge(Case{Promise: "the port stays"}, tt.want, tt.got, tt.known)
			for _, part := range []struct{ got, want string }{{got.failure, tt.failure}, {got.skip, tt.skip}} {
				if (part.got == "") != (part.want == "") || !strings.Contains(part.got, part.want) {
					t.Errorf("got %+v, want %q and %q", got, tt.failure, tt.skip)
				}
			}
		})
	}
}
