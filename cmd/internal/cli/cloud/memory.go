package cloud

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// MemoryFlag defines the flag for what a cloud keeps in memory, in MiB.
func MemoryFlag(f *pflag.FlagSet, mebibytes *int) {
	usage.SizeFlag(f, mebibytes, "memory-budget", "MiB", sim.DefaultMemoryBudget>>20,
		"memory for what the cloud remembers: the journal, the past that stale reads show, and answers; the oldest is forgotten first")
}

// AllowedHostsFlag defines the flag for the names by which a cloud at a loopback address may be called.
func AllowedHostsFlag(f *pflag.FlagSet, names *[]string) {
	f.StringSliceVar(names, "allowed-hosts", nil, "names by which clients may call a cloud that listens at a loopback address, beside localhost, loopback addresses and the name of --listen; * allows all")
}

// MemoryBudget is the value of MemoryFlag in bytes.
func MemoryBudget(mebibytes int) (int, error) {
	const least, most = sim.LeastMemoryBudget >> 20, 1 << 20
	if mebibytes < least || mebibytes > most {
		return 0, exit.Usage(fmt.Errorf("invalid --memory-budget %dMiB: must be between %dMiB and %dMiB", mebibytes, least, most))
	}
	return mebibytes << 20, nil
}
