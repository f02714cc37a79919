package sim_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// namedAgent is what the requests of this file call themselves.
const namedAgent = "named"

// TestEachCallHasItsName: no call of a dialect is recorded without the name that its client knows it by: neither discovery,
// logins and what is refused, nor what no operation has.
func TestEachCallHasItsName(t *testing.T) {
	t.Parallel()
	cloud, native := simtest.Open(t)
	requests := []struct{ method, path, body, name string }{
		{"GET", "/aws/credentials", "", "aws:credentials:GetCredentials"},
		{"PUT", "/aws/credentials", "", "aws:credentials:GetCredentials"},
		{"GET", "/aws/elsewhere", "", "aws:ec2:GET /aws/elsewhere"},
		{"POST", "/aws", "Version=1", "aws:ec2:POST /aws"},
		{"POST", "/aws", "Version=2016-11-15", "aws:ec2:POST /aws"},
		{"POST", "/aws", "Version=2016-11-15&Action=DescribeMoonPhases", "aws:ec2:DescribeMoonPhases"},
		{"POST", "/aws", "Version=2016-11-15&Action=Describe%0AMoon", "aws:ec2:POST /aws"},
		{"GET", "/hcloud/v1/nothing", "", "hcloud:GET /hcloud/v1/nothing"},
		{"PATCH", "/hcloud/v1/servers", "", "hcloud:PATCH /hcloud/v1/servers"},
		{"GET", "/openstack/nothing", "", "openstack:GET /openstack/nothing"},
		{"GET", "/openstack/compute/v2.1/nothing", "", "openstack:nova:GET /openstack/compute/v2.1/nothing"},
		{"GET", "/openstack/identity/", "", "openstack:keystone:ListVersions"},
		{"POST", "/openstack/identity/v3/auth/tokens", "{", "openstack:keystone:CreateToken"},
		{"GET", "/v1/nothing", "", "GET /v1/nothing"},
		{"GET", "/v1/instances", "", "ListInstances"},
	}
	for _, d := range sim.Dialects() {
		for _, o := range d.Operations {
			if d.Name != "aws" { // whose operations are all at one path
				path := strings.NewReplacer("{id}", "1", "{part}", "1").Replace(strings.TrimSuffix(d.Path+o.Path, "/"))
				requests = append(requests, struct{ method, path, body, name string }{o.Method, path, "", d.Name + ":" + o.Name})
			}
		}
	}
	for _, r := range requests {
		sendNamed(t, cloud, r.method, r.path, r.body)
	}
	entries, err := native.ListJournal(t.Context(), simcloud.JournalFilter{UserAgent: namedAgent})
	if err != nil || len(entries) != len(requests) {
		t.Fatalf("%d calls of %d, %v", len(entries), len(requests), err)
	}
	for i, r := range requests {
		if got := entries[i].Name; got != r.name {
			t.Errorf("%s %s is called %q, want %q", r.method, r.path, got, r.name)
		}
	}
}

// sendNamed sends a request with the cloud's token in each of the ways in which dialects take it.
func sendNamed(t *testing.T, cloud *sim.Cloud, method, path, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, cloud.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("User-Agent", namedAgent)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Authorization", "Bearer "+cloud.Token())
	r.Header.Set("X-Auth-Token", cloud.Token())
	r.Header.Set("X-Amz-Security-Token", cloud.Token())
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
}

// TestShownIDInTheJournal: a call of a dialect has the id of its resource as its client knows it, and one in the cloud's own
// format has not.
func TestShownIDInTheJournal(t *testing.T) {
	t.Parallel()
	cloud, native := simtest.Open(t)
	if _, err := native.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "web"}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/openstack/load-balancer/v2.0/lbaas/loadbalancers/00000000-0000-4004-8000-000000000001": "00000000-0000-4004-8000-000000000001",
		"/hcloud/v1/load_balancers/1": "1",
		"/v1/load-balancers/lb-1":     "",
	} {
		sendNamed(t, cloud, http.MethodGet, path, "")
		entries, err := native.ListJournal(t.Context(), simcloud.JournalFilter{UserAgent: namedAgent})
		if err != nil || len(entries) == 0 {
			t.Fatalf("%v, %v", entries, err)
		}
		if last := entries[len(entries)-1]; last.Resource != "load_balancer/lb-1" || last.ShownID != want {
			t.Errorf("%s is about %s, shown as %q: want %q", path, last.Resource, last.ShownID, want)
		}
	}
}
