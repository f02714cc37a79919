package hcloud

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// documentType is the type of the documents that are certificates. The cloud has no
// certificates of its own: nothing in it decrypts.
const documentType = "certificate"

// The types of a certificate.
const (
	typeUploaded = "uploaded"
	typeManaged  = "managed"
)

// certificate is a document of the cloud.
type certificate struct {
	ID             int64              `json:"id"`
	Name           string             `json:"name"`
	Labels         map[string]string  `json:"labels"`
	Type           string             `json:"type"`
	Certificate    *string            `json:"certificate"`
	Created        time.Time          `json:"created"`
	NotValidBefore *time.Time         `json:"not_valid_before"`
	NotValidAfter  *time.Time         `json:"not_valid_after"`
	DomainNames    []string           `json:"domain_names"`
	Fingerprint    *string            `json:"fingerprint"`
	Status         *certificateStatus `json:"status"` // of a managed one
	UsedBy         []subject          `json:"used_by"`
}

type certificateStatus struct {
	Issuance string   `json:"issuance"`
	Renewal  string   `json:"renewal"`
	Error    *failure `json:"error"`
}

// kept is what the document of a certificate says. That of a managed one has what was
// asked for alone: what is issued follows from it.
type kept struct {
	Type string `json:"type"`
	// PEM is what was uploaded, without the key, which nothing needs once it is checked.
	PEM string `json:"pem,omitempty"`
	// Domains are those that a managed one is for.
	Domains []string `json:"domains,omitempty"`
	// Retries is how often the issuance was tried again.
	Retries int `json:"retries,omitempty"`
}

// keptIn reads the document of a certificate: what it returns without an error can be shown.
func keptIn(d simcloud.Document) (k kept, err error) {
	if err := json.Unmarshal(d.Body, &k); err != nil {
		return k, err
	}
	switch k.Type {
	case typeUploaded:
		if _, err := leafOf(k.PEM); err != nil {
			return k, wrong("pem", "is not a certificate in PEM: %v", err)
		}
	case typeManaged:
		return k, checkDomains("domains", k.Domains)
	default:
		return k, wrong("type", "%q is not allowed: must be one of uploaded, managed", k.Type)
	}
	return k, nil
}

// certificateIn reads a document that may be one of Hetzner's certificates. One that cannot be read is left out: it
// is from a cloud that took what its reader does not, and must not fail the list of the others.
func certificateIn(d simcloud.Document) (k kept, found bool) {
	if d.Dialect != name || d.Type != documentType {
		return k, false
	}
	k, err := keptIn(d)
	return k, err == nil
}

// usage tells which load balancers use a certificate.
type usage map[simcloud.ID][]subject

// usage reads which load balancers use certificates.
func (c call) usage(ctx context.Context) (usage, error) {
	lbs, err := all(ctx, c.cloud.ListLoadBalancers)
	u := usage{}
	for _, lb := range lbs {
		for _, id := range certificatesOf(lb.Listeners) {
			u[id] = append(u[id], loadBalancerSubject(lb.ID))
		}
	}
	return u, err
}

// certificatesOf are the certificates that listeners use, each once.
func certificatesOf(listeners []simcloud.Listener) []simcloud.ID {
	var ids []simcloud.ID
	for _, l := range listeners {
		for _, id := range l.Documents {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// certificate is a document as Hetzner shows it, with a fingerprint by that hash.
func (u usage) certificate(d simcloud.Document, hash string) (certificate, error) {
	k, err := keptIn(d)
	if err != nil {
		return certificate{}, err
	}
	view := certificate{
		ID: numberOf(d.ID), Name: d.Name, Labels: shown(d.Labels), Type: k.Type, Created: d.Created,
		DomainNames: append([]string{}, k.Domains...), UsedBy: append([]subject{}, u[d.ID]...),
	}
	if k.Type == typeManaged {
		view.Status = statusOfIssuance(k)
		if view.Status.Error != nil {
			return view, nil
		}
		if k.PEM, err = issued(d, k); err != nil {
			return view, err
		}
	}
	leaf, err := leafOf(k.PEM)
	if err != nil {
		return view, err
	}
	fingerprint := fingerprintOf(leaf, hash)
	view.Certificate, view.Fingerprint = &k.PEM, &fingerprint
	view.NotValidBefore, view.NotValidAfter, view.DomainNames = &leaf.NotBefore, &leaf.NotAfter, domainsOf(leaf)
	return view, nil
}

func (c call) listCertificates() (edge.Reply, error) {
	wanted := c.r.URL.Query()["type"]
	return list(c, "certificates", c.cloud.ListDocuments, func(part []simcloud.Document) (any, error) {
		u, err := c.usage(c.ctx())
		if err != nil {
			return nil, err
		}
		hash, err := c.config.variant(c.ctx(), simcloud.VariantHcloudCertificateFingerprint)
		views := make([]certificate, len(part))
		for i := 0; err == nil && i < len(part); i++ {
			views[i], err = u.certificate(part[i], hash)
		}
		return views, err
	}, func(d simcloud.Document) bool {
		k, found := certificateIn(d)
		return found && (len(wanted) == 0 || slices.Contains(wanted, k.Type))
	})
}

func (c call) getCertificate() (edge.Reply, error) {
	d, err := c.document(c.ctx(), c.id)
	if err != nil {
		return edge.Reply{}, err
	}
	return c.certificateReply(200, d)
}

// document reads the document of a certificate.
func (c call) document(ctx context.Context, id simcloud.ID) (simcloud.Document, error) {
	d, err := c.cloud.GetDocument(ctx, id)
	if err != nil && simcloud.CodeOf(err) != simcloud.NotFound {
		return d, err
	}
	if _, found := certificateIn(d); !found {
		return d, simcloud.Errorf(simcloud.NotFound, simcloud.Ref(simcloud.KindDocument, id), "certificate with ID '%d' not found", numberOf(id))
	}
	return d, nil
}

// certificateReply answers one certificate.
func (c call) certificateReply(status int, d simcloud.Document) (edge.Reply, error) {
	u, err := c.usage(c.ctx())
	if err != nil {
		return edge.Reply{}, err
	}
	hash, err := c.config.variant(c.ctx(), simcloud.VariantHcloudCertificateFingerprint)
	if err != nil {
		return edge.Reply{}, err
	}
	view, err := u.certificate(d, hash)
	reply := answered(status, "certificate", view)
	reply.Meta = &d.Meta
	return reply, err
}
