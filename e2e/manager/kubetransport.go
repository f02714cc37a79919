package manager

import (
	"net/http"
	"path"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// delaying delays what a CCM in this process asks of the cluster, as the proxy does for others.
func (a *kubeAPI) delaying(next http.RoundTripper) http.RoundTripper {
	return &delayingTransport{
		RoundTripper: next, delays: a.delays,
		infos: &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")},
	}
}

type delayingTransport struct {
	http.RoundTripper
	delays *delays
	infos  *request.RequestInfoFactory
}

// WrappedRoundTripper is what carries the requests.
func (t *delayingTransport) WrappedRoundTripper() http.RoundTripper { return t.RoundTripper }

var _ utilnet.RoundTripperWrapper = (*delayingTransport)(nil)

// RoundTrip makes a request when its time has come. What a watch tells comes late.
func (t *delayingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	info, err := t.infos.NewRequestInfo(r)
	if err != nil || !info.IsResourceRequest {
		return t.RoundTripper.RoundTrip(r)
	}
	resource := path.Join(info.Resource, info.Subresource)
	if info.Verb != "watch" {
		if err := t.delays.wait(r.Context(), time.Now(), info.Verb, resource); err != nil {
			return nil, err
		}
		return t.RoundTripper.RoundTrip(r)
	}
	answer, err := t.RoundTripper.RoundTrip(r)
	if err == nil && answer.StatusCode == http.StatusOK {
		answer.Body = delayed(answer.Body, func(came time.Time) error {
			return t.delays.wait(r.Context(), came, "watch", resource)
		})
	}
	return answer, err
}
