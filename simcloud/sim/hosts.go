package sim

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// AnyHost is the entry of AllowedHosts that allows all.
const AnyHost = "*"

// hosts are the names by which a cloud is called that listens at loopback addresses. A page of the web can let a name of its own lead
// to 127.0.0.1 and read there what needs no token: its browser takes the cloud for the page's own server.
type hosts struct {
	allowed []string
	log     *slog.Logger
	told    sync.Once
}

// newHosts returns the hosts of a cloud; nil where any name is taken: at sockets in memory, and by the configuration.
func newHosts(cfg Config) *hosts {
	if cfg.Sockets != nil || slices.Contains(cfg.AllowedHosts, AnyHost) {
		return nil
	}
	h := &hosts{log: cfg.Log, allowed: []string{"localhost"}}
	if name, _, err := net.SplitHostPort(cfg.Listen); err == nil {
		h.allowed = append(h.allowed, plainHost(name))
	}
	if name, err := os.Hostname(); err == nil { // which the certificate of --tls-self-signed has too
		h.allowed = append(h.allowed, plainHost(name))
	}
	for _, name := range cfg.AllowedHosts {
		h.allowed = append(h.allowed, plainHost(name))
	}
	return h
}

// hostsOf is refuse of a cloud's hosts; nil where any name is taken.
func hostsOf(cfg Config) func(*http.Request) *simcloud.Error {
	if h := newHosts(cfg); h != nil {
		return h.refuse
	}
	return nil
}

// refuse reports why a request is refused by its Host; nil for one that is not.
func (h *hosts) refuse(r *http.Request) *simcloud.Error {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok || !local.IP.IsLoopback() || h.allows(r.Host) {
		return nil
	}
	h.told.Do(func() {
		h.log.Warn("a request at a loopback address is refused, because its Host is not allowed; further ones are refused silently (--allowed-hosts)", "host", clipped(r.Host))
	})
	return &simcloud.Error{
		Code: simcloud.Forbidden,
		Message: "the Host " + clipped(r.Host) + " is not allowed at a loopback address: must be localhost, an address of 127.0.0.0/8, [::1], the name that the cloud listens at, " +
			"or one of --allowed-hosts",
	}
}

// allows reports whether a Host names this machine's loopback, or is one of the allowed ones.
func (h *hosts) allows(host string) bool {
	name := plainHost(host)
	if address, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil && address.Unmap().IsLoopback() {
		return true
	}
	return slices.Contains(h.allowed, name) || strings.HasSuffix(name, ".localhost")
}

// plainHost is the name in a Host, as names are compared.
func plainHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// clipped is a Host as a message has it.
func clipped(host string) string {
	const longest = 80
	if len(host) > longest {
		return strings.ToValidUTF8(host[:longest], "") + "…"
	}
	return host
}

// checkHosts judges AllowedHosts.
func (c Config) checkHosts() (wrong []simcloud.FieldError) {
	for _, name := range c.AllowedHosts {
		if plain := plainHost(name); plain == "" || strings.ContainsAny(name, "/ ,") || plain != strings.ToLower(strings.TrimSuffix(name, ".")) {
			wrong = append(wrong, simcloud.FieldError{Field: "allowedHosts", Detail: "\"" + name + "\" must be a name or an address without a port, or * for all"})
		}
	}
	return wrong
}
