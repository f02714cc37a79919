package dataplane

import "github.com/simcloud-dev/simcloud/simcloud"

// Status tells of all listeners, as the cloud shows it.
func (d *DataPlane) Status() []simcloud.DataPlaneListener {
	var all []simcloud.DataPlaneListener
	for _, s := range d.balancer.Status() {
		all = append(all, shown(s))
	}
	return all
}

func shown(s ListenerStatus) simcloud.DataPlaneListener {
	l := simcloud.DataPlaneListener{
		LoadBalancer: s.LoadBalancer, Listener: simcloud.ListenerID(s.Protocol, s.Port),
		Protocol: s.Protocol, Address: s.Address.String(), Port: s.Port,
		Connections: s.Connections, Accepted: s.Accepted, Received: s.Received, Sent: s.Sent,
		Targets: []simcloud.DataPlaneTarget{},
	}
	if s.Error != nil {
		l.Error = s.Error.Error()
	}
	for reason, n := range s.Refused {
		if n == 0 {
			continue
		}
		if l.Refused == nil {
			l.Refused = map[string]int64{}
		}
		l.Refused[string(reason)] = n
	}
	for _, t := range s.Targets {
		l.Targets = append(l.Targets, simcloud.DataPlaneTarget{
			Instance: t.Instance, Health: t.Health, Reason: t.Reason, Connections: t.Connections,
		})
	}
	return l
}
