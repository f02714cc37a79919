package mutant

import (
	"io"
	"net/http"
	"strings"

	cloudprovider "k8s.io/cloud-provider"
)

func nodeDeletionForbidden() Mutant {
	return Mutant{
		Name:     "node-deletion-forbidden",
		Row:      "13",
		Title:    "the role that ships with the CCM does not let it delete Nodes",
		Issues:   []string{"openstack#3225"},
		Fault:    "the API server refuses to let the CCM delete a Node whose VM is gone, and then does not any more",
		Expected: "say so with an Event, and delete the Node when it may",
		Scenario: "node-deletion-forbidden",
		Caught:   "When it may delete Nodes, a CCM must delete this one",
		Also:     []string{"node-deletion", "lb-provisioning", "l01-vm-deleted", "vm-state-taken-for-gone", "uninitialized-node-kept-forever"},
		open:     func(p Provider) cloudprovider.Interface { return p.right(p.API) },
		access:   func(next http.RoundTripper) http.RoundTripper { return noNodeDeletion{next} },
	}
}

// noNodeDeletion is the API server's answer to a role without the verb delete for Nodes.
type noNodeDeletion struct{ next http.RoundTripper }

func (n noNodeDeletion) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodDelete || !strings.HasPrefix(r.URL.Path, "/api/v1/nodes") {
		return n.next.RoundTrip(r)
	}
	const refusal = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"cannot delete resource \"nodes\""}`
	return &http.Response{
		StatusCode: http.StatusForbidden, Status: "403 Forbidden", Proto: r.Proto, ProtoMajor: r.ProtoMajor, ProtoMinor: r.ProtoMinor,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(refusal)), Request: r,
	}, nil
}
