package kind

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
)

// Routes of the cloud have a protocol of their own, and nothing else is ever
// touched. Their metric lets a node's own route to the same destination win,
// of both families, and is below that of what stops lost traffic of pods.
const routeMarks = "proto 177 metric 2177"

// execute runs a program on a node.
type execute func(ctx context.Context, stdin io.Reader, argv ...string) ([]byte, error)

// syncRoutes makes the cloud's routes of a node those that are wanted.
func syncRoutes(ctx context.Context, run execute, wanted []route) error {
	out, err := run(ctx, nil, "sh", "-c", "ip -json -4 route show proto 177 && ip -json -6 route show proto 177")
	if err != nil {
		return fmt.Errorf("read the routes: %w", err)
	}
	there, err := readRoutes(out)
	if err != nil {
		return fmt.Errorf("read the routes: %w: %q", err, out)
	}
	batch := routeChanges(there, wanted)
	if batch == "" {
		return nil
	}
	if _, err := run(ctx, strings.NewReader(batch), "ip", "-force", "-batch", "-"); err != nil {
		return fmt.Errorf("change the routes: %w", err)
	}
	return nil
}

// readRoutes reads what ip prints of both families. An empty list may be no list at all.
func readRoutes(out []byte) ([]route, error) {
	var all []route
	lists := json.NewDecoder(bytes.NewReader(out))
	for {
		var list []struct {
			Dst     string `json:"dst"`
			Gateway string `json:"gateway"`
		}
		if err := lists.Decode(&list); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		for _, r := range list {
			all = append(all, route{destination(r.Dst, r.Gateway), r.Gateway})
		}
	}
}

// destination is the CIDR that ip shortens.
func destination(dst, gateway string) string {
	address, err := netip.ParseAddr(dst)
	switch {
	case err == nil:
		return netip.PrefixFrom(address, address.BitLen()).String()
	case dst == "default" && strings.Contains(gateway, ":"):
		return "::/0"
	case dst == "default":
		return "0.0.0.0/0"
	default:
		return dst
	}
}

// routeChanges are the commands of ip, a line each, that make the routes those
// that are wanted; what comes, comes before what goes.
func routeChanges(there, wanted []route) string {
	var batch strings.Builder
	for _, r := range wanted {
		if !slices.Contains(there, r) {
			fmt.Fprintf(&batch, "route replace %s via %s %s\n", r.to, r.via, routeMarks)
		}
	}
	for _, r := range there {
		if !slices.ContainsFunc(wanted, func(w route) bool { return w.to == r.to }) {
			fmt.Fprintf(&batch, "route del %s via %s %s\n", r.to, r.via, routeMarks)
		}
	}
	return batch.String()
}
