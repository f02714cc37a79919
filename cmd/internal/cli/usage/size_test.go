package usage_test

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
)

func TestSizeFlag(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		unit, text string
		want       int // below 0: refused
	}{
		{"GiB", "20", 20}, {"GiB", "20GiB", 20}, {"GiB", "2TiB", 2048}, {"GiB", "2048MiB", 2}, {"GiB", "0", 0},
		{"MiB", "512", 512}, {"MiB", "2GiB", 2048},
		{"GiB", "5GB", -1}, {"GiB", "100MiB", -1}, {"GiB", "GiB", -1}, {"GiB", "-1", -1}, {"GiB", "", -1}, {"GiB", "1.5GiB", -1},
		{"GiB", "9223372036854775807TiB", -1},
	} {
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		var got int
		usage.SizeFlag(f, &got, "size", test.unit, 10, "size")
		err := f.Parse([]string{"--size", test.text})
		switch {
		case test.want >= 0 && (err != nil || got != test.want):
			t.Errorf("%s of %s is %d, %v; want %d", test.text, test.unit, got, err, test.want)
		case test.want < 0 && (err == nil || !strings.Contains(err.Error(), "such as 20 or 20"+test.unit) || got != 10):
			t.Errorf("%s of %s is %d, %v; want an error with an example", test.text, test.unit, got, err)
		}
	}
}
