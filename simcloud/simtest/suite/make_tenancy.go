package suite

import (
	"encoding/json"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Project makes the project p.
func (f *Fixture) Project() simcloud.Project {
	f.Helper()
	return Must[simcloud.Result[simcloud.Project]](f)(f.CreateProject(f.Ctx, simcloud.ProjectSpec{Name: "p"})).Resource
}

// makeProject makes a project.
func makeProject(f *Fixture) simcloud.ID { return f.Project().ID }

// Token makes a token.
func (f *Fixture) Token(spec simcloud.TokenSpec) simcloud.Token {
	f.Helper()
	return Must[simcloud.Result[simcloud.Token]](f)(f.CreateToken(f.Ctx, spec)).Resource
}

// MakeToken makes a token that may read.
func MakeToken(f *Fixture) simcloud.ID {
	return f.Token(simcloud.TokenSpec{Name: "t", Role: simcloud.RoleReader}).ID
}

// MustGetToken reads a token that must be there.
func (f *Fixture) MustGetToken(id simcloud.ID) simcloud.Token {
	f.Helper()
	return Must[simcloud.Token](f)(f.GetToken(f.Ctx, id))
}

// Cluster registers a cluster.
func (f *Fixture) Cluster(name string) simcloud.ID {
	f.Helper()
	return Must[simcloud.Result[simcloud.Cluster]](f)(f.CreateCluster(f.Ctx, simcloud.ClusterSpec{Name: name, Endpoint: "https://a"})).Resource.ID
}

// MakeCluster registers a cluster.
func MakeCluster(f *Fixture) simcloud.ID { return f.Cluster("c") }

// CertificateBody is the body of a document that Hetzner's dialect reads as a certificate.
func CertificateBody() json.RawMessage {
	return json.RawMessage(`{"type":"managed","domains":["a.example"]}`)
}

// Document makes a certificate of Hetzner's, as far as the cloud knows what that is.
func (f *Fixture) Document(name string) simcloud.ID {
	f.Helper()
	spec := simcloud.DocumentSpec{Name: name, Dialect: "hcloud", Type: "certificate", Body: CertificateBody()}
	return Must[simcloud.Result[simcloud.Document]](f)(f.CreateDocument(f.Ctx, spec)).Resource.ID
}

// MakeDocument makes a document.
func MakeDocument(f *Fixture) simcloud.ID { return f.Document("d") }

// BodyOf is what the body of a document says.
func BodyOf(f *Fixture, d simcloud.Document) map[string]any {
	f.Helper()
	var body map[string]any
	if err := json.Unmarshal(d.Body, &body); err != nil {
		f.Fatal(err)
	}
	return body
}

// Limit sets the limit of the default project.
func (f *Fixture) Limit(resource simcloud.QuotaResource, limit int) simcloud.Quota {
	f.Helper()
	id := simcloud.QuotaID(simcloud.DefaultProject, resource)
	return Must[simcloud.Result[simcloud.Quota]](f)(f.SetQuota(f.Ctx, id, simcloud.QuotaSpec{Limit: limit})).Resource
}

// Usage returns what the default project has, without what it has none of.
func (f *Fixture) Usage() map[simcloud.QuotaResource]int {
	f.Helper()
	used := map[simcloud.QuotaResource]int{}
	for _, q := range Must[[]simcloud.Quota](f)(simcloud.ListAll(f.Ctx, f.ListQuotas, simcloud.ListOptions{})) {
		if q.Project == simcloud.DefaultProject && q.Used != 0 {
			used[q.Resource] = q.Used
		}
	}
	return used
}
