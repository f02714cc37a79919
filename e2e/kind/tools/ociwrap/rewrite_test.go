package main

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const everything = "CapBnd:\t000001ffffffffff\n"

// withoutResource lacks CAP_SYS_RESOURCE alone.
const withoutResource = "CapBnd:\t000001fffeffffff\n"

// proc makes a /proc of a host with this bounding set.
func proc(t *testing.T, bounding string) procFiles {
	t.Helper()
	dir := t.TempDir()
	limits := "Limit                     Soft Limit           Hard Limit           Units     \n" +
		"Max open files            1024                 4096                 files     \n" +
		"Max processes             unlimited            unlimited            processes \n"
	for name, text := range map[string]string{"self/status": "Name:\tx\n" + bounding, "self/limits": limits, "sys/kernel/cap_last_cap": "40\n"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return procFiles(dir)
}

const process = `{"terminal": true, "args": ["<sh>"], "capabilities": {"bounding": ["CAP_CHOWN", "CAP_SYS_RESOURCE", "CAP_NEWER"], "effective": ["CAP_SYS_RESOURCE"], "ambient": null},
 "oomScoreAdj": -999, "rlimits": [{"type": "RLIMIT_NOFILE", "hard": 1048576, "soft": 2048}, {"type": "RLIMIT_NPROC", "hard": 18446744073709551615, "soft": 18446744073709551615}, {"type": "RLIMIT_NEWER", "hard": 7, "soft": 7}]}`

// restricted is what becomes of process where CAP_SYS_RESOURCE lacks.
func restricted() map[string]any {
	return map[string]any{
		"terminal": true, "args": []any{"<sh>"},
		"capabilities": map[string]any{"bounding": []any{"CAP_CHOWN", "CAP_NEWER"}, "effective": []any{}, "ambient": nil},
		"oomScoreAdj":  0.0,
		"rlimits": []any{
			map[string]any{"type": "RLIMIT_NOFILE", "hard": 4096.0, "soft": 2048.0},
			map[string]any{"type": "RLIMIT_NPROC", "hard": float64(math.MaxUint64), "soft": float64(math.MaxUint64)},
			map[string]any{"type": "RLIMIT_NEWER", "hard": 7.0, "soft": 7.0},
		},
	}
}

// write writes a document and returns its path and the runtime's arguments for it.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) map[string]any {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return got
}

func TestAContainerGetsWhatTheHostHas(t *testing.T) {
	t.Parallel()
	path := write(t, "config.json", `{"ociVersion": "1.0.2", "process": `+process+`, "linux": {"x": 12345678901234567890}}`)
	if err := prepare([]string{"create", "--bundle", filepath.Dir(path), "c"}, proc(t, withoutResource)); err != nil {
		t.Fatal(err)
	}
	got := read(t, path)
	if want := restricted(); !reflect.DeepEqual(got["process"], want) {
		t.Errorf("got  %v\nwant %v", got["process"], want)
	}
	raw, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(raw), "12345678901234567890") || got["ociVersion"] != "1.0.2" {
		t.Errorf("%v: the rest has changed: %s", err, raw)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v: mode %v, want that of before", err, info.Mode())
	}
	if rest, _ := filepath.Glob(path + ".*"); len(rest) > 0 {
		t.Errorf("%v is left", rest)
	}
}

func TestAProcessInAContainerGetsWhatTheHostHas(t *testing.T) {
	t.Parallel()
	path := write(t, "p.json", process)
	if err := prepare([]string{"exec", "--process", path, "c"}, proc(t, withoutResource)); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, path), restricted(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestLimitsAndScoreStayWhereOnlyAnotherCapabilityLacks(t *testing.T) {
	t.Parallel()
	path := write(t, "p.json", process)
	if err := prepare([]string{"exec", "--process", path, "c"}, proc(t, "CapBnd:\t000001fffffffffe\n")); err != nil { // no CAP_CHOWN
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal([]byte(process), &want); err != nil {
		t.Fatal(err)
	}
	want["capabilities"] = map[string]any{"bounding": []any{"CAP_SYS_RESOURCE", "CAP_NEWER"}, "effective": []any{"CAP_SYS_RESOURCE"}, "ambient": nil}
	if got := read(t, path); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestNothingHappensWhereNothingLacks(t *testing.T) {
	t.Parallel()
	const text = `not JSON, and never read`
	path := write(t, "config.json", text)
	if err := prepare([]string{"create", "--bundle", filepath.Dir(path), "c"}, proc(t, everything)); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != text {
		t.Errorf("%v: %s", err, raw)
	}
}

func TestWhatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{`, `{"process": 1}`, `{"process": {"capabilities": 1}}`, `{"process": {"oomScoreAdj": "x"}}`} {
		path := write(t, "config.json", text)
		err := prepare([]string{"create", "--bundle", filepath.Dir(path), "c"}, proc(t, withoutResource))
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want an error that names the file", text, err)
		}
	}
	if err := prepare([]string{"create", "--bundle", "/no/such"}, proc(t, withoutResource)); err != nil {
		t.Errorf("a file that is not there is for the runtime to complain of: %v", err)
	}
	if err := prepare([]string{"run", "c"}, procFiles("/no/such")); err == nil {
		t.Error("no /proc: want an error")
	}
}

func TestASpecificationWithoutAProcessIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"ociVersion": "1"}`, `{"process": null}`, `{"process": {"capabilities": null}}`} {
		path := write(t, "config.json", text)
		if err := prepare([]string{"create", "--bundle", filepath.Dir(path), "c"}, proc(t, withoutResource)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		var want map[string]any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); !maps.EqualFunc(got, want, func(a, b any) bool { return reflect.DeepEqual(a, b) }) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
