package neutron

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// standard is what all resources of Neutron have.
type standard struct {
	ID             string   `json:"id"`
	Description    string   `json:"description"`
	ProjectID      string   `json:"project_id"`
	TenantID       string   `json:"tenant_id"`
	Tags           []string `json:"tags"`
	RevisionNumber uint64   `json:"revision_number"`
	CreatedAt      string   `json:"created_at"`
	UpdatedAt      string   `json:"updated_at"`
}

// standardOf is what a resource of the cloud has, which is something of that id here.
func standardOf(uuid string, m simcloud.Meta) standard {
	project := service.ProjectUUID(m.Project)
	return standard{
		ID: uuid, ProjectID: project, TenantID: project, Tags: tagsOf(m.Labels), RevisionNumber: m.Version,
		CreatedAt: timeText(m.Created), UpdatedAt: timeText(m.Updated),
	}
}

func (s standard) get() standard { return s }

// timeText is how Neutron writes times.
func timeText(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// reserved is the prefix of labels that the dialect keeps for itself: its clients neither see nor set them.
const reserved = "openstack.simcloud.dev/"

// labelName has the name of what the cloud has under another one, because it does not take that name.
const labelName = reserved + "name"

// tagsOf are the labels of a resource, as tags: "key=value", or the key alone where the value is empty.
func tagsOf(labels map[string]string) []string {
	tags := []string{}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		switch {
		case strings.HasPrefix(key, reserved):
		case labels[key] == "":
			tags = append(tags, key)
		default:
			tags = append(tags, key+"="+labels[key])
		}
	}
	return tags
}

// nameOf is what a resource is called here.
func nameOf(m simcloud.Meta) string {
	if name, ok := m.Labels[labelName]; ok {
		return name
	}
	return m.Name
}

// keepName returns the name and the labels in the cloud of a resource with labels that is called so here.
func keepName(name, fallback string, labels map[string]string) (string, map[string]string) {
	legal, kept := service.LegalName(name, fallback), maps.Clone(labels)
	delete(kept, labelName)
	if legal == name {
		return legal, kept
	}
	if kept == nil {
		kept = map[string]string{}
	}
	kept[labelName] = name
	return legal, kept
}

func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
