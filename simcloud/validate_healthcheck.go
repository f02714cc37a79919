package simcloud

import (
	"fmt"
	"regexp"
	"strings"
)

func (f *fieldErrors) healthCheck(path string, h HealthCheck) {
	f.port(path+"port", h.Port)
	f.checkSettings(path, h)
}

// checkSettings checks all of a health check but its port.
func (f *fieldErrors) checkSettings(path string, h HealthCheck) {
	oneOf(f, path+"protocol", h.Protocol, HealthCheckTCP, HealthCheckHTTP, HealthCheckHTTPS)
	if h.Protocol == HealthCheckHTTP || h.Protocol == HealthCheckHTTPS {
		f.httpCheck(path, h)
	} else {
		f.noHTTPCheck(path, h)
	}
	if h.VerifyCertificate && h.Protocol != HealthCheckHTTPS {
		f.add(path+"verifyCertificate", "may only be set with protocol https")
	}
	f.nonNegative(path+"intervalSeconds", h.IntervalSeconds)
	f.nonNegative(path+"timeoutSeconds", h.TimeoutSeconds)
	f.nonNegative(path+"threshold", h.Threshold)
}

// codePattern is a status code with "?" for digits, or the beginning of one and "*".
var codePattern = regexp.MustCompile(`^([1-5?][0-9?]{2}|([1-5?][0-9?]?)?\*)$`)

const (
	maxStatusCodes = 32
	maxResponse    = 1024
)

// httpCheck checks what a health check asks for by http or https.
func (f *fieldErrors) httpCheck(path string, h HealthCheck) {
	if !strings.HasPrefix(h.Path, "/") {
		f.add(path+"path", "%q does not begin with /", h.Path)
	} else {
		f.printable(path+"path", h.Path)
	}
	if h.Domain != "" {
		f.dnsName(path+"domain", h.Domain)
	}
	if len(h.StatusCodes) > maxStatusCodes {
		f.add(path+"statusCodes", "%d patterns are too many: at most %d", len(h.StatusCodes), maxStatusCodes)
	}
	for i, code := range h.StatusCodes {
		if !codePattern.MatchString(code) {
			f.add(fmt.Sprintf("%sstatusCodes[%d]", path, i), "%q is not a pattern of status codes such as 200, 2?? or 3*", code)
		}
	}
	if len(h.Response) > maxResponse {
		f.add(path+"response", "has %d bytes: must have at most %d", len(h.Response), maxResponse)
	}
	f.printable(path+"response", h.Response)
}

// noHTTPCheck checks that a health check without http asks for nothing of it.
func (f *fieldErrors) noHTTPCheck(path string, h HealthCheck) {
	for _, field := range []struct {
		name string
		set  bool
	}{
		{"path", h.Path != ""}, {"domain", h.Domain != ""}, {"statusCodes", len(h.StatusCodes) > 0}, {"response", h.Response != ""},
	} {
		if field.set {
			f.add(path+field.name, "may only be set with protocol http or https")
		}
	}
}
