package existing

import "testing"

func TestPaths(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]objectPath{
		"/api/v1/nodes":                                                  {"nodes", "", ""},
		"/api/v1/nodes/n1/status":                                        {"nodes", "n1", "status"},
		"/api/v1/namespaces":                                             {"namespaces", "", ""},
		"/api/v1/namespaces/a":                                           {"namespaces", "a", ""},
		"/api/v1/namespaces/a/finalize":                                  {"namespaces", "a", "finalize"},
		"/api/v1/namespaces/a/pods":                                      {"pods", "", ""},
		"/api/v1/namespaces/a/serviceaccounts/b/token":                   {"serviceaccounts", "b", "token"},
		"/apis/apps/v1/namespaces/a/deployments/web":                     {"deployments", "web", ""},
		"/k8s/clusters/c-1/api/v1/namespaces/a/pods":                     {"pods", "", ""},
		"/apis/rbac.authorization.k8s.io/v1/clusterroles":                {"clusterroles", "", ""},
		"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews":         {"selfsubjectaccessreviews", "", ""},
		"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases": {"leases", "", ""},
	} {
		if got := parsePath(path); got != want {
			t.Errorf("%s is %+v, want %+v", path, got, want)
		}
	}
}
