package mutant

import (
	"os"
	"strings"

	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/klog/v2"
)

func tokenLogged() Mutant {
	return Mutant{
		Name:     "token-logged",
		Title:    "the configuration is logged at the start, with the token",
		Scenario: "plain-day",
		Caught:   "no-secrets a secret that the CCM was given is in its log",
		open: func(p Provider) cloudprovider.Interface {
			token, err := os.ReadFile(p.Config.TokenFile)
			klog.InfoS("Starting with", "endpoint", p.Config.Endpoint, "token", strings.TrimSpace(string(token)), "err", err)
			return p.right(p.API)
		},
	}
}
