package client

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// newTransport returns a transport that trusts the certificates of a file.
func newTransport(ca string) (*http.Transport, error) {
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout:   10 * time.Second,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true,
	}
	if ca == "" {
		return transport, nil
	}
	pem, err := os.ReadFile(ca)
	if err != nil {
		return nil, simcloud.Errorf(simcloud.Unavailable, "", "read the CA file: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, simcloud.InvalidFields("", []simcloud.FieldError{
			{Field: "ca", Detail: ca + " holds no certificate in PEM"},
		})
	}
	transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return transport, nil
}
