package usage

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// SandboxFlag gives a command about a sandbox the flag that names it. --name is the same flag: it was called so once.
// names offers those that there are.
func SandboxFlag(cmd *cobra.Command, name *string, text string, names func() []string) {
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, flag string) pflag.NormalizedName {
		if flag == "name" {
			flag = "sandbox"
		}
		return pflag.NormalizedName(flag)
	})
	cmd.Flags().StringVar(name, "sandbox", "", text)
	_ = cmd.RegisterFlagCompletionFunc("sandbox", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names(), cobra.ShellCompDirectiveNoFileComp
	}) // the flag is there
}
