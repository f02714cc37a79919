package hcloud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// newCertificate is the body of a creation.
type newCertificate struct {
	Name        string            `json:"name"`
	Type        string            `json:"type"` // empty means uploaded
	Certificate string            `json:"certificate"`
	PrivateKey  string            `json:"private_key"`
	DomainNames []string          `json:"domain_names"`
	Labels      map[string]string `json:"labels"`
}

func (c call) createCertificate() (edge.Reply, error) {
	body, err := decode[newCertificate](c)
	if err != nil {
		return edge.Reply{}, err
	}
	k, err := body.kept()
	if err != nil {
		return edge.Reply{}, err
	}
	says, err := json.Marshal(k)
	if err != nil {
		return edge.Reply{}, err
	}
	result, err := c.cloud.CreateDocument(c.ctx(), simcloud.DocumentSpec{
		Name: body.Name, Dialect: name, Type: documentType, Body: says, Labels: body.Labels,
	})
	if err != nil {
		return edge.Reply{}, err
	}
	hash, err := c.config.variant(c.ctx(), simcloud.VariantHcloudCertificateFingerprint)
	if err != nil {
		return edge.Reply{}, err
	}
	view, err := usage{}.certificate(result.Resource, hash) // nothing uses it yet
	if err != nil {
		return edge.Reply{}, err
	}
	return edge.Reply{
		Status: 201, Meta: &result.Resource.Meta, Operation: result.Operation.ID,
		Body: map[string]any{"certificate": view, "action": c.issuance(result, k)},
	}, nil
}

// kept is what the certificate that a request asks for has to say.
func (b newCertificate) kept() (kept, error) {
	if b.Name == "" {
		return kept{}, missing("name")
	}
	if err := checkLabels(b.Labels); err != nil {
		return kept{}, err
	}
	switch b.Type {
	case "", typeUploaded:
		return kept{Type: typeUploaded, PEM: b.Certificate}, b.checkUploaded()
	case typeManaged:
		return kept{Type: typeManaged, Domains: b.DomainNames}, b.checkManaged()
	default:
		return kept{}, wrong("type", "%q is not allowed: must be one of uploaded, managed", b.Type)
	}
}

func (b newCertificate) checkUploaded() error {
	switch {
	case len(b.DomainNames) > 0:
		return wrong("domain_names", "may only be set with the type managed")
	case b.Certificate == "":
		return missing("certificate")
	case b.PrivateKey == "":
		return missing("private_key")
	}
	return checkPair(b.Certificate, b.PrivateKey)
}

func (b newCertificate) checkManaged() error {
	switch {
	case b.Certificate != "":
		return wrong("certificate", "may only be set with the type uploaded")
	case b.PrivateKey != "":
		return wrong("private_key", "may only be set with the type uploaded")
	case len(b.DomainNames) == 0:
		return missing("domain_names")
	}
	return checkDomains("domain_names", b.DomainNames)
}

// checkDomains judges what a managed certificate is for.
func checkDomains(list string, domains []string) error {
	if len(domains) == 0 {
		return wrong(list, "must have at least one domain, such as example.com")
	}
	for i, domain := range domains {
		field := fmt.Sprintf("%s[%d]", list, i)
		host := strings.ToLower(strings.TrimPrefix(domain, "*."))
		switch {
		case len(validation.IsDNS1123Subdomain(host)) > 0 || !strings.Contains(host, "."):
			return wrong(field, "%q is not a domain such as example.com or *.example.com", domain)
		case slices.Contains(domains[:i], domain):
			return wrong(field, "%q is there twice", domain)
		}
	}
	return nil
}

// issuance is the action of issuing a certificate; nil for one that was uploaded.
func (c call) issuance(result simcloud.Result[simcloud.Document], k kept) *action {
	if k.Type != typeManaged {
		return nil
	}
	a := actionOf(result.Operation, c.command, certificateSubject(result.Resource.ID))
	a.judge(k)
	return &a
}

// judge lets an action fail whose certificate could not be issued.
func (a *action) judge(k kept) {
	if k.Type != typeManaged {
		return
	}
	if failure := statusOfIssuance(k).Error; failure != nil {
		a.Status, a.Error = actionFailed, &actionError{failure.Code, failure.Message}
	}
}

// judged is an action of a certificate, as its issuance has ended.
func (c call) judged(ctx context.Context, a action, of simcloud.ID) (action, error) {
	d, err := c.document(ctx, of)
	switch {
	case simcloud.CodeOf(err) == simcloud.NotFound:
		return a, nil
	case err != nil:
		return a, err
	}
	k, err := keptIn(d)
	if err == nil {
		a.judge(k)
	}
	return a, err
}

func (c call) updateCertificate() (edge.Reply, error) {
	body, err := decodeChange[changed](c)
	if err != nil {
		return edge.Reply{}, err
	}
	var result simcloud.Result[simcloud.Document]
	err = c.atomically(func(ctx context.Context) error {
		if _, err := c.document(ctx, c.id); err != nil {
			return err
		}
		result, err = c.cloud.UpdateDocument(ctx, c.id, simcloud.DocumentUpdate{Name: body.Name, Labels: body.Labels})
		return err
	})
	if err != nil {
		return edge.Reply{}, err
	}
	reply, err := c.certificateReply(200, result.Resource)
	reply.Operation = result.Operation.ID
	return reply, err
}

func (c call) deleteCertificate() (edge.Reply, error) {
	var op simcloud.Operation
	err := c.atomically(func(ctx context.Context) (err error) {
		if _, err := c.document(ctx, c.id); err != nil {
			return err
		}
		op, err = c.cloud.DeleteDocument(ctx, c.id)
		return err
	})
	if errors.Is(err, simcloud.InUse) {
		err = refuse(simcloud.InUse, codeInUse, "certificate is still in use")
	}
	return edge.Reply{Status: 204, Operation: op.ID}, err
}

// retryCertificate issues a certificate again whose issuance has failed. Which code Hetzner
// has for one that has not failed its documents do not say: it is a variant.
func (c call) retryCertificate() (edge.Reply, error) {
	if err := c.refuseBody(); err != nil {
		return edge.Reply{}, err
	}
	var result simcloud.Result[simcloud.Document]
	var k kept
	code, err := c.config.variant(c.ctx(), simcloud.VariantHcloudRetryRefusal)
	if err != nil {
		return edge.Reply{}, err
	}
	err = c.atomically(func(ctx context.Context) error {
		d, err := c.document(ctx, c.id)
		if err != nil {
			return err
		}
		if k, err = keptIn(d); err != nil {
			return err
		}
		if k.Type != typeManaged || statusOfIssuance(k).Error == nil {
			return refuse(simcloud.Conflict, code, "only the issuance of a managed certificate that has failed can be retried")
		}
		k.Retries++
		says, err := json.Marshal(k)
		if err != nil {
			return err
		}
		result, err = c.cloud.UpdateDocument(ctx, c.id, simcloud.DocumentUpdate{Body: (*json.RawMessage)(&says)})
		return err
	})
	if err != nil {
		return edge.Reply{}, err
	}
	reply := answered(201, "action", c.issuance(result, k))
	reply.Meta, reply.Operation = &result.Resource.Meta, result.Operation.ID
	return reply, nil
}

// assignable reports why a service cannot have the certificates that it names, beside
// the other services of a load balancer with that class.
func (c call) assignable(ctx context.Context, spec simcloud.ListenerSpec, others []simcloud.ListenerSpec, class loadBalancerType) error {
	if spec.Protocol == simcloud.ProtocolHTTPS && len(spec.Documents) == 0 {
		return missing("http.certificates")
	}
	for _, id := range spec.Documents {
		_, err := c.document(ctx, id)
		if simcloud.CodeOf(err) == simcloud.NotFound {
			return wrong("http.certificates", "certificate with ID '%d' not found", numberOf(id))
		}
		if err != nil {
			return err
		}
	}
	listeners := []simcloud.Listener{{ListenerConfig: spec.ListenerConfig}}
	for _, other := range others {
		listeners = append(listeners, simcloud.Listener{ListenerConfig: other.ListenerConfig})
	}
	if len(spec.Documents) > 0 && len(certificatesOf(listeners)) > class.MaxCertificates {
		return refuse(simcloud.Capacity, codeLimitExceeded, "a load balancer cannot have more than %d certificates", class.MaxCertificates)
	}
	return nil
}
