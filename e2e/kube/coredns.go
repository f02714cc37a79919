package main

import (
	"flag"
	"os"
	"slices"

	"github.com/coredns/coredns/coremain"

	// The plugins that kubeadm's Corefile names, and those that are often added to it.
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/forward"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/hosts"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/log"
	_ "github.com/coredns/coredns/plugin/loop"
	_ "github.com/coredns/coredns/plugin/metrics"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/reload"
	_ "github.com/coredns/coredns/plugin/rewrite"
)

// runCoreDNS runs the DNS server of a cluster, with few of its plugins: all of
// them would make the binary half as large again.
func runCoreDNS() int {
	coremain.Run()
	return 0
}

// dropCoreDNSFlags takes the flags of CoreDNS, which registers them whether it
// runs or not, away from the programs that take every registered flag for one of their own.
func dropCoreDNSFlags() {
	dropped := []string{"conf", "plugins", "pidfile", "version", "quiet", "dns.port", "p"}
	rest := flag.NewFlagSet(os.Args[0], flag.ExitOnError)
	flag.VisitAll(func(f *flag.Flag) {
		if !slices.Contains(dropped, f.Name) {
			rest.Var(f.Value, f.Name, f.Usage)
		}
	})
	flag.CommandLine = rest
}
