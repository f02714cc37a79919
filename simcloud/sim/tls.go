package sim

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TLS is how a cloud serves over HTTPS. Its zero value is plain HTTP.
type TLS struct {
	// CertFile and KeyFile are a certificate, with those that lead to its CA,
	// and its key, in PEM. Either both are set or none.
	CertFile string
	KeyFile  string
	// SelfSigned makes a certificate for the address that the cloud listens at,
	// signed by a CA of its own. It excludes CertFile.
	SelfSigned bool
	// CAFile is where that CA's certificate is kept, for clients to trust; its
	// key is beside it, with ".key" behind the name, mode 0600. A CA that is there
	// is used again. Empty means beside the data file, "<data>.ca.pem".
	CAFile string
}

func (t TLS) on() bool { return t.SelfSigned || t.CertFile != "" }

// validate says which fields do not go together.
func (t TLS) validate() (fields []simcloud.FieldError) {
	wrong := func(field, detail string) {
		fields = append(fields, simcloud.FieldError{Field: field, Detail: detail})
	}
	if t.CertFile == "" && t.KeyFile != "" {
		wrong("tls.cert", "must not be empty: give the certificate of the key")
	}
	if t.CertFile != "" && t.KeyFile == "" {
		wrong("tls.key", "must not be empty: give the key of the certificate")
	}
	if t.SelfSigned && t.CertFile != "" {
		wrong("tls.selfSigned", "must not be set together with a certificate")
	}
	if t.CAFile != "" && !t.SelfSigned {
		wrong("tls.caFile", "may only be set with selfSigned")
	}
	return fields
}

// secure gives the server its certificate.
func (c *Cloud) secure(cfg Config) error {
	if !cfg.TLS.on() {
		return nil
	}
	certificate, err := c.certificate(cfg)
	if err != nil {
		return err
	}
	c.tls = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	return nil
}

func (c *Cloud) certificate(cfg Config) (tls.Certificate, error) {
	if !cfg.TLS.SelfSigned {
		pair, err := tls.LoadX509KeyPair(cfg.TLS.CertFile, cfg.TLS.KeyFile)
		if err != nil {
			return pair, simcloud.Errorf(simcloud.Unavailable, "", "cannot use the certificate %s with the key %s: %w",
				cfg.TLS.CertFile, cfg.TLS.KeyFile, err)
		}
		return pair, nil
	}
	if cfg.Ephemeral {
		if err := c.makeScratch(cfg.Scratch); err != nil {
			return tls.Certificate{}, err
		}
	}
	c.caFile = caFile(cfg, c.scratch)
	ca, err := ensureAuthority(c.caFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	return issue(ca, c.listener.Addr())
}

// accepting is where requests come in, until closing ends.
func (c *Cloud) accepting(closing context.Context, from net.Listener) net.Listener {
	listener := closingListener{watchedListener{from, c.descriptors.note}, closing}
	if c.tls != nil {
		return tls.NewListener(listener, c.tls)
	}
	return listener
}

// oneByOne keeps to HTTP/1.1, in which a request has its connection for itself:
// what a fault does to a connection is done to that request alone.
func oneByOne() *http.Protocols {
	var p http.Protocols
	p.SetHTTP1(true)
	return &p
}
