package octavia

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// asking is a request that may name projects: none but that of the session can get anything.
type asking interface{ projects() []string }

// owned answers a request that names no other project.
func owned[In asking](answer func(service.Call, In) (any, *simcloud.Meta, error)) func(service.Call, In) (any, *simcloud.Meta, error) {
	return func(c service.Call, in In) (any, *simcloud.Meta, error) {
		own := simcloud.CallerFrom(c.Ctx()).Project
		for _, project := range in.projects() {
			if project != "" && project != service.ProjectUUID(own) && project != string(own) {
				return nil, nil, service.Refuse(simcloud.Forbidden, service.Code{Status: http.StatusForbidden},
					"Policy does not allow this request to be performed: project_id %.60s is not that of the session.", project)
			}
		}
		return answer(c, in)
	}
}

func (in createRequest) projects() []string {
	all := []string{in.Balancer.ProjectID}
	for _, l := range in.Balancer.Listeners {
		all = append(all, l.projects()...)
	}
	for _, p := range in.Balancer.Pools {
		all = append(all, p.projects()...)
	}
	return all
}

func (s listenerSpec) projects() []string {
	if s.DefaultPool == nil {
		return []string{s.ProjectID}
	}
	return append(s.DefaultPool.projects(), s.ProjectID)
}

func (s poolSpec) projects() []string {
	all := []string{s.ProjectID}
	for _, m := range s.Members {
		all = append(all, m.ProjectID)
	}
	if s.HealthMonitor != nil {
		all = append(all, s.HealthMonitor.ProjectID)
	}
	return all
}

func (in membersRequest) projects() []string {
	all := make([]string, len(in.Members))
	for i, m := range in.Members {
		all[i] = m.ProjectID
	}
	return all
}

func (in listenerRequest) projects() []string { return in.Listener.projects() }
func (in poolRequest) projects() []string     { return in.Pool.projects() }
func (in memberRequest) projects() []string   { return []string{in.Member.ProjectID} }
func (in monitorRequest) projects() []string  { return []string{in.Monitor.ProjectID} }
func (in monitorUpdate) projects() []string   { return []string{in.Monitor.ProjectID} }
