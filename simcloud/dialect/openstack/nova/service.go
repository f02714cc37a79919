// Package nova is the compute service of OpenStack, as microversion 2.1 has it: servers and flavors.
package nova

import (
	"cmp"
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// The keys that errors have.
var (
	notFound = service.Code{Status: http.StatusNotFound, Type: "itemNotFound"}
	conflict = service.Code{Status: http.StatusConflict, Type: "conflictingRequest"}
)

// codes are the errors that Nova has for those of the cloud.
var codes = service.Codes{General: map[simcloud.Code]service.Code{
	simcloud.Invalid:         {Status: http.StatusBadRequest, Type: "badRequest"},
	simcloud.Unauthenticated: {Status: http.StatusUnauthorized, Type: "unauthorized"},
	simcloud.Forbidden:       {Status: http.StatusForbidden, Type: "forbidden"},
	simcloud.NotFound:        notFound,
	simcloud.AlreadyExists:   conflict,
	simcloud.InUse:           conflict,
	simcloud.Protected:       conflict,
	simcloud.Conflict:        conflict,
	simcloud.Locked:          conflict,
	simcloud.QuotaExceeded:   {Status: http.StatusForbidden, Type: "forbidden"},
	simcloud.Capacity:        {Status: http.StatusServiceUnavailable, Type: "serviceUnavailable"},
	simcloud.RateLimited:     {Status: http.StatusTooManyRequests, Type: "overLimit"},
	simcloud.Unavailable:     {Status: http.StatusServiceUnavailable, Type: "serviceUnavailable"},
	simcloud.Timeout:         {Status: http.StatusGatewayTimeout, Type: "computeFault"},
	simcloud.Unimplemented:   {Status: http.StatusNotImplemented, Type: notImplemented},
	simcloud.Internal:        {Status: http.StatusInternalServerError, Type: "computeFault"},
}}

// The paths of what the service has.
const (
	serversPath = "/v2.1/servers"
	serverPath  = serversPath + "/{id}"
	flavorsPath = "/v2.1/flavors"
)

// New returns the service.
func New() *service.Service {
	const get, post, put, remove = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete
	server := service.Servers.ID
	return &service.Service{
		Name: "nova", Type: "compute", Mount: "compute", Path: "/v2.1",
		Codes: codes, Envelope: envelope, NotFoundFormat: "%s %s could not be found.",
		Operations: []service.Operation{
			{Name: "ListVersions", Method: get, Path: "/", Anonymous: true, Standing: dialect.Derived, Handle: service.Read(listVersions)},
			{Name: "GetVersion", Method: get, Path: "/v2.1", Anonymous: true, Standing: dialect.Derived, Handle: service.Read(getVersion)},
			{Name: "ListServersDetail", Method: get, Path: serversPath + "/detail", Core: "ListInstances", Handle: service.Read(listServersDetail)},
			{Name: "ListServers", Method: get, Path: serversPath, Core: "ListInstances", Handle: service.Read(listServers)},
			{Name: "GetServer", Method: get, Path: serverPath, Core: "GetInstance", ID: server, What: instanceWord, Handle: service.Remember(getServer)},
			{Name: "DeleteServer", Method: remove, Path: serverPath, Core: "DeleteInstance", ID: server, What: instanceWord, Status: http.StatusNoContent, Handle: service.Change(deleteServer)},
			{Name: "ListFlavors", Method: get, Path: flavorsPath, Core: "ListInstanceTypes", Handle: service.Read(listFlavors(flavorOf))},
			{Name: "ListFlavorsDetail", Method: get, Path: flavorsPath + "/detail", Core: "ListInstanceTypes", Handle: service.Read(listFlavors(flavorDetailOf))},
			{Name: "GetFlavor", Method: get, Path: flavorsPath + "/{id}", Core: "GetInstanceType", What: "Flavor", Handle: service.Read(getFlavor)},
			{Name: "ListAvailabilityZones", Method: get, Path: "/v2.1/os-availability-zone", Core: "ListZones", Standing: dialect.Derived, Handle: service.Read(listAvailabilityZones)},
		},
		Unsupported: []service.Operation{
			{Name: "CreateServer", Method: post, Path: serversPath},
			{Name: "UpdateServer", Method: put, Path: serverPath},
			{Name: "ServerAction", Method: post, Path: serverPath + "/action"},
			{Name: "GetServerMetadata", Method: get, Path: serverPath + "/metadata"},
			{Name: "UpdateServerMetadata", Method: put, Path: serverPath + "/metadata"},
			{Name: "ListServerAddresses", Method: get, Path: serverPath + "/ips"},
			{Name: "ListServerInterfaces", Method: get, Path: serverPath + "/os-interface"},
			{Name: "AttachServerInterface", Method: post, Path: serverPath + "/os-interface"},
			{Name: "ListServerSecurityGroups", Method: get, Path: serverPath + "/os-security-groups"},
			{Name: "ListVolumeAttachments", Method: get, Path: serverPath + "/os-volume_attachments"},
			{Name: "AttachVolume", Method: post, Path: serverPath + "/os-volume_attachments"},
			{Name: "ListKeyPairs", Method: get, Path: "/v2.1/os-keypairs"},
			{Name: "CreateKeyPair", Method: post, Path: "/v2.1/os-keypairs"},
			{Name: "ListServerGroups", Method: get, Path: "/v2.1/os-server-groups"},
			{Name: "ListHypervisors", Method: get, Path: "/v2.1/os-hypervisors"},
			{Name: "ListServices", Method: get, Path: "/v2.1/os-services"},
			{Name: "GetLimits", Method: get, Path: "/v2.1/limits"},
		},
	}
}

// instanceWord is what Nova calls a server in errors.
const instanceWord = "Instance"

// byStatus are the keys of errors that no operation is about.
var byStatus = map[int]string{http.StatusNotFound: notFound.Type, http.StatusMethodNotAllowed: "badMethod"}

const notImplemented = "notImplemented"

// envelope is what an error of Nova looks like.
func envelope(p service.Problem) any {
	key := cmp.Or(p.Type, byStatus[p.Status], "computeFault")
	if p.Status == http.StatusNotImplemented {
		key = notImplemented
	}
	return map[string]any{key: map[string]any{"code": p.Status, "message": p.Message}}
}

// version is the one of the API that there is. Its version is that without microversions: none is simulated.
func version(c service.Call) map[string]any {
	return map[string]any{
		"id": "v2.1", "status": "CURRENT", "version": "2.1", "min_version": "2.1", "updated": "2013-07-23T11:33:21Z",
		"links": []service.Link{{Rel: "self", Href: c.Endpoint() + "/compute/v2.1/"}},
	}
}

func listVersions(c service.Call) (any, error) {
	return map[string]any{"versions": []any{version(c)}}, nil
}

func getVersion(c service.Call) (any, error) {
	return map[string]any{"version": version(c)}, nil
}
