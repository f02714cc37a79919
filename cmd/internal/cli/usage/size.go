package usage

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// sizeUnits are the units of sizes, in MiB.
var sizeUnits = map[string]int{"MiB": 1, "GiB": 1 << 10, "TiB": 1 << 20}

// size is a flag for a number of some unit, which may be written with it or with a larger one.
type size struct {
	value *int
	unit  string
}

// SizeFlag defines a flag for a size: 20, 20GiB and 1TiB, where the unit is GiB.
func SizeFlag(f *pflag.FlagSet, value *int, name, unit string, fallback int, text string) {
	*value = fallback
	f.Var(&size{value, unit}, name, text)
}

func (s *size) String() string {
	if s.value == nil || *s.value == 0 {
		return ""
	}
	return strconv.Itoa(*s.value)
}

// Type names the flag's value in the help.
func (s *size) Type() string { return s.unit }

// Set reads a size.
func (s *size) Set(text string) error {
	digits := strings.TrimRight(text, "MGTiB")
	number, err := strconv.Atoi(digits)
	unit := sizeUnits[s.unit]
	if given := text[len(digits):]; given != "" {
		unit = sizeUnits[given]
	}
	own := sizeUnits[s.unit]
	if err != nil || number < 0 || unit == 0 || number > 1<<40/unit || number*unit%own != 0 {
		return fmt.Errorf("want a whole number of %s, such as 20 or 20%s", s.unit, s.unit)
	}
	*s.value = number * unit / own
	return nil
}
