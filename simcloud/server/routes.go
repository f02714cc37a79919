package server

import (
	"maps"
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// handlers has every operation that is not a stream.
func (s *server) handlers() map[string]operation {
	all := map[string]operation{}
	for _, part := range []map[string]operation{
		projects(s.API), regions(s.API), networks(s.API), instances(s.API), volumes(s.API), sshKeys(s.API),
		loadBalancers(s.API), floatingIPs(s.API), routeTables(s.API), clusters(s.API), s.operations(), s.control(), s.faults(),
	} {
		maps.Copy(all, part)
	}
	return all
}

func projects(api simcloud.ProjectAPI) map[string]operation {
	return map[string]operation{
		"ListProjects":  list(api.ListProjects),
		"GetProject":    get(api.GetProject),
		"CreateProject": create(api.CreateProject),
		"UpdateProject": update(api.UpdateProject),
		"DeleteProject": remove(api.DeleteProject),

		"ListTokens":  list(api.ListTokens),
		"GetToken":    get(api.GetToken),
		"CreateToken": create(api.CreateToken),
		"RotateToken": update(api.RotateToken),
		"RevokeToken": act(api.RevokeToken),
		"DeleteToken": remove(api.DeleteToken),

		"ListQuotas": list(api.ListQuotas),
		"GetQuota":   get(api.GetQuota),
		"SetQuota":   update(api.SetQuota),
	}
}

func regions(api simcloud.RegionAPI) map[string]operation {
	return map[string]operation{
		"ListRegions":  list(api.ListRegions),
		"GetRegion":    get(api.GetRegion),
		"CreateRegion": create(api.CreateRegion),
		"DeleteRegion": remove(api.DeleteRegion),

		"ListZones":    list(api.ListZones),
		"GetZone":      get(api.GetZone),
		"CreateZone":   create(api.CreateZone),
		"UpdateZone":   update(api.UpdateZone),
		"SetZoneState": update(api.SetZoneState),
		"DeleteZone":   remove(api.DeleteZone),

		"ListInstanceTypes":  list(api.ListInstanceTypes),
		"GetInstanceType":    get(api.GetInstanceType),
		"CreateInstanceType": create(api.CreateInstanceType),
		"DeleteInstanceType": remove(api.DeleteInstanceType),
	}
}

func networks(api simcloud.NetworkAPI) map[string]operation {
	return map[string]operation{
		"ListNetworks":  list(api.ListNetworks),
		"GetNetwork":    get(api.GetNetwork),
		"CreateNetwork": create(api.CreateNetwork),
		"DeleteNetwork": remove(api.DeleteNetwork),

		"ListSubnets":  list(api.ListSubnets),
		"GetSubnet":    get(api.GetSubnet),
		"CreateSubnet": create(api.CreateSubnet),
		"DeleteSubnet": remove(api.DeleteSubnet),
	}
}

func instances(api simcloud.InstanceAPI) map[string]operation {
	return map[string]operation{
		"ListInstances":         list(api.ListInstances),
		"GetInstance":           get(api.GetInstance),
		"CreateInstance":        create(api.CreateInstance),
		"UpdateInstance":        update(api.UpdateInstance),
		"DeleteInstance":        remove(api.DeleteInstance),
		"StartInstance":         act(api.StartInstance),
		"StopInstance":          act(api.StopInstance),
		"RebootInstance":        act(api.RebootInstance),
		"RecreateInstance":      act(api.RecreateInstance),
		"RebuildInstance":       update(api.RebuildInstance),
		"ResizeInstance":        update(api.ResizeInstance),
		"MigrateInstance":       update(api.MigrateInstance),
		"SuspendInstance":       act(api.SuspendInstance),
		"AddInstanceAddress":    createPart(api.AddInstanceAddress),
		"RemoveInstanceAddress": removePart("address", api.RemoveInstanceAddress),
	}
}

func volumes(api simcloud.VolumeAPI) map[string]operation {
	return map[string]operation{
		"ListVolumes":  list(api.ListVolumes),
		"GetVolume":    get(api.GetVolume),
		"CreateVolume": create(api.CreateVolume),
		"UpdateVolume": update(api.UpdateVolume),
		"DeleteVolume": remove(api.DeleteVolume),
		"AttachVolume": update(api.AttachVolume),
		"DetachVolume": act(api.DetachVolume),
		"ResizeVolume": update(api.ResizeVolume),
	}
}

func sshKeys(api simcloud.SSHKeyAPI) map[string]operation {
	return map[string]operation{
		"ListSSHKeys":  list(api.ListSSHKeys),
		"GetSSHKey":    get(api.GetSSHKey),
		"CreateSSHKey": create(api.CreateSSHKey),
		"UpdateSSHKey": update(api.UpdateSSHKey),
		"DeleteSSHKey": remove(api.DeleteSSHKey),
		"AttachSSHKey": update(api.AttachSSHKey),
		"DetachSSHKey": update(api.DetachSSHKey),
	}
}

func clusters(api simcloud.ClusterAPI) map[string]operation {
	return map[string]operation{
		"ListClusters":  list(api.ListClusters),
		"GetCluster":    get(api.GetCluster),
		"CreateCluster": create(api.CreateCluster),
		"UpdateCluster": update(api.UpdateCluster),
		"DeleteCluster": remove(api.DeleteCluster),
	}
}

func loadBalancers(api simcloud.LoadBalancerAPI) map[string]operation {
	return map[string]operation{
		"ListLoadBalancers":    list(api.ListLoadBalancers),
		"GetLoadBalancer":      get(api.GetLoadBalancer),
		"CreateLoadBalancer":   create(api.CreateLoadBalancer),
		"UpdateLoadBalancer":   update(api.UpdateLoadBalancer),
		"DeleteLoadBalancer":   remove(api.DeleteLoadBalancer),
		"FailoverLoadBalancer": act(api.FailoverLoadBalancer),
		"CreateListener":       createPart(api.CreateListener),
		"UpdateListener":       updatePart("listener", api.UpdateListener),
		"DeleteListener":       removePart("listener", api.DeleteListener),
		"CreateTarget":         createPart(api.CreateTarget),
		"DeleteTarget":         removePart("instance", api.DeleteTarget),
	}
}

func floatingIPs(api simcloud.FloatingIPAPI) map[string]operation {
	return map[string]operation{
		"ListFloatingIPs":  list(api.ListFloatingIPs),
		"GetFloatingIP":    get(api.GetFloatingIP),
		"CreateFloatingIP": create(api.CreateFloatingIP),
		"UpdateFloatingIP": update(api.UpdateFloatingIP),
		"DeleteFloatingIP": remove(api.DeleteFloatingIP),
		"AttachFloatingIP": update(api.AttachFloatingIP),
		"DetachFloatingIP": act(api.DetachFloatingIP),

		"ListFloatingIPPools":  list(api.ListFloatingIPPools),
		"GetFloatingIPPool":    get(api.GetFloatingIPPool),
		"CreateFloatingIPPool": create(api.CreateFloatingIPPool),
		"DeleteFloatingIPPool": remove(api.DeleteFloatingIPPool),
	}
}

func routeTables(api simcloud.RouteTableAPI) map[string]operation {
	return map[string]operation{
		"ListRouteTables":  list(api.ListRouteTables),
		"GetRouteTable":    get(api.GetRouteTable),
		"CreateRouteTable": create(api.CreateRouteTable),
		"UpdateRouteTable": update(api.UpdateRouteTable),
		"DeleteRouteTable": remove(api.DeleteRouteTable),
		"CreateRoute":      createPart(api.CreateRoute),
		"DeleteRoute":      removePart("route", api.DeleteRoute),
	}
}

func (s *server) operations() map[string]operation {
	return map[string]operation{
		"ListOperations": list(s.API.ListOperations),
		"GetOperation":   get(s.API.GetOperation),
		"WaitOperation":  get(s.API.WaitOperation),
	}
}

func (s *server) control() map[string]operation {
	return map[string]operation{
		"GetState":           typed[none, simcloud.State](http.StatusOK, plain(s.getState)),
		"Reset":              typed[none, done](http.StatusOK, plain(s.reset)),
		"Seed":               typed[simcloud.Topology, simcloud.SeedReport](http.StatusOK, plain(s.seed)),
		"GetConfig":          typed[none, simcloud.Config](http.StatusOK, plain(s.getConfig)),
		"UpdateConfig":       typed[simcloud.ConfigUpdate, simcloud.Config](http.StatusOK, plain(s.updateConfig)),
		"ListSnapshots":      typed[none, simcloud.Page[simcloud.Snapshot]](http.StatusOK, plain(s.listSnapshots)),
		"SaveSnapshot":       typed[simcloud.SnapshotSpec, simcloud.Snapshot](http.StatusCreated, plain(s.saveSnapshot)),
		"LoadSnapshot":       typed[none, simcloud.Snapshot](http.StatusOK, plain(s.loadSnapshot)),
		"DiffSnapshot":       typed[none, simcloud.SnapshotDiff](http.StatusOK, s.diffSnapshot, diffParameters()...),
		"DeleteSnapshot":     typed[none, done](http.StatusOK, plain(s.deleteSnapshot)),
		"GetDataPlane":       typed[none, simcloud.DataPlane](http.StatusOK, plain(s.getDataPlane)),
		"ReportTargetHealth": typed[healthReport, done](http.StatusOK, plain(s.reportTargetHealth)),
		"GetClock":           typed[none, simcloud.ClockStatus](http.StatusOK, plain(s.getClock)),
		"SetClock":           typed[simcloud.ClockSpec, simcloud.ClockStatus](http.StatusOK, plain(s.setClock)),
		"AdvanceClock":       typed[advance, simcloud.ClockAdvance](http.StatusOK, plain(s.advanceClock)),
		"ListJournal":        typed[none, simcloud.Page[simcloud.JournalEntry]](http.StatusOK, s.listJournal, listJournalParameters()...),
		"ClearJournal":       typed[none, done](http.StatusOK, plain(s.clearJournal)),
	}
}

func (s *server) streams() map[string]streaming {
	return map[string]streaming{
		"WatchEvents":    streamOf[simcloud.Event](s.watchEvents, eventParameters()...),
		"WatchAllEvents": streamOf[simcloud.Event](s.watchAllEvents, eventParameters()...),
		"WatchJournal":   streamOf[simcloud.JournalEntry](s.watchJournal, journalParameters()...),
	}
}
