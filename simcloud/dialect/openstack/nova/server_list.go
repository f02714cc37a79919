package nova

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// pages are those of Nova.
var pages = service.Pages{Default: 1000, Max: 1000}

func getServer(c service.Call) (any, error) {
	i, err := c.Cloud.GetInstance(c.Ctx(), c.ID)
	if err != nil {
		return nil, err
	}
	a, err := aroundOne(c, i.ID)
	return map[string]any{"server": serverOf(c, i, a)}, err
}

func deleteServer(c service.Call) (any, *simcloud.Meta, error) {
	_, err := c.Cloud.DeleteInstance(c.Ctx(), c.ID)
	return nil, nil, err
}

// listServersDetail lists servers with all that they have.
func listServersDetail(c service.Call) (any, error) {
	found, err := chosen(c)
	if err != nil {
		return nil, err
	}
	a, err := aroundAll(c)
	if err != nil {
		return nil, err
	}
	servers := make([]server, len(found))
	for n, i := range found {
		servers[n] = serverOf(c, i, a)
	}
	return service.List(c, "servers", servers, func(s server) string { return s.ID }, pages)
}

// brief is a server in a list without details.
type brief struct {
	ID    string         `json:"id"`
	Name  string         `json:"name"`
	Links []service.Link `json:"links"`
}

func listServers(c service.Call) (any, error) {
	found, err := chosen(c)
	if err != nil {
		return nil, err
	}
	servers := make([]brief, len(found))
	for n, i := range found {
		s := serverOf(c, i, around{})
		servers[n] = brief{s.ID, s.Name, s.Links}
	}
	return service.List(c, "servers", servers, func(s brief) string { return s.ID }, pages)
}

// chosen are the instances that a list asks for, the newest first, as Nova has them.
func chosen(c service.Call) ([]simcloud.Instance, error) {
	query := c.Query()
	opts := simcloud.ListOptions{PageSize: simcloud.MaxPageSize, Name: exactName(query.Get("name"))}
	found, err := simcloud.ListAll(c.Ctx(), c.Cloud.ListInstances, opts)
	if err != nil {
		return nil, err
	}
	keep, err := filter(query)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(i simcloud.Instance) bool { return !keep(i) })
	slices.Reverse(found)
	return found, nil
}

// filter is what the query of a list asks of instances. Nova ignores filters that it does not know.
func filter(query url.Values) (func(simcloud.Instance) bool, error) {
	name, err := regexp.Compile(query.Get("name")) // as the regular expressions of MySQL: anywhere in the name
	if err != nil {
		return nil, service.Wrong("name", "%q is not a regular expression: %v", query.Get("name"), err)
	}
	return func(i simcloud.Instance) bool {
		return name.MatchString(i.Name) &&
			(!query.Has("status") || strings.EqualFold(query.Get("status"), states[i.State].status)) &&
			service.Matches(query, "flavor", FlavorUUID(i.Type)) &&
			service.Matches(query, "availability_zone", string(i.Zone)) &&
			(!query.Has("ip") || hasAddress(i, query.Get("ip")))
	}, nil
}

// hasAddress reports whether an IPv4 address of an instance begins with a text.
func hasAddress(i simcloud.Instance, begins string) bool {
	return slices.ContainsFunc(i.Addresses, func(a simcloud.Address) bool { return strings.HasPrefix(a.Address, begins) })
}

// exactNameRE is a regular expression that only one name fits, as clients that look for a machine by its name write it.
var exactNameRE = regexp.MustCompile(`^\^((?:[A-Za-z0-9_-]|\\[.\-])+)\$$`)

// exactName is the one name that a regular expression fits, so that the cloud finds it by its index; empty for any other.
func exactName(expression string) string {
	match := exactNameRE.FindStringSubmatch(expression)
	if match == nil {
		return ""
	}
	return strings.ReplaceAll(match[1], `\`, "")
}
