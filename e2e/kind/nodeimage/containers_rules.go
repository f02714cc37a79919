package nodeimage

import (
	"bytes"
	"path"
	"strings"
)

// writePacketTools writes what kube-proxy calls, with the libraries it needs,
// and nothing else of the root: iptables in its form for nftables, nft and conntrack.
func writePacketTools(w *layerWriter, root rootFiles) error {
	const tables = "usr/sbin/xtables-nft-multi"
	programs := []string{tables, "usr/sbin/nft", "usr/sbin/conntrack"}
	for name := range root {
		if strings.Contains(name, "/xtables/") {
			programs = append(programs, name)
		}
	}
	names, err := root.closure(programs)
	if err != nil {
		return err
	}
	for _, folder := range []string{"bin", "lib", "lib64", "sbin"} {
		w.folder("usr/"+folder, 0o755)
		w.link(folder, "usr/"+folder)
	}
	for _, name := range names {
		file := root[name]
		w.entry(file.header, bytes.NewReader(file.content))
	}
	for _, family := range []string{"iptables", "ip6tables"} {
		for _, end := range []string{"", "-save", "-restore"} {
			w.link("usr/sbin/"+family+end, path.Base(tables))
		}
	}
	return nil
}
