package explore

import "fmt"

// zoneDown cuts the zone of a VM off: nothing is heard of its machines, which run on.
type zoneDown struct{ named } // of the VM

func (o zoneDown) legal(m *model) bool { return !m.zoneDown && m.vms[o.name].active() }

func (o zoneDown) apply(m *model) { m.zoneDown, m.vms[o.name].cut = true, true }

func (o zoneDown) steps(*model) []string {
	return []string{fmt.Sprintf(`cloud: {operation: SetZoneState, args: {id: '${instances.filter(vm, vm.name == "%s")[0].zone}', state: down}}`, o.name)}
}

// zoneUp joins it again.
type zoneUp struct{ plain }

func (zoneUp) about() string { return "zone" }

func (zoneUp) legal(m *model) bool { return m.zoneDown }

func (zoneUp) apply(m *model) {
	m.zoneDown = false
	for _, v := range m.vms {
		v.cut = false
	}
}

func (zoneUp) steps(*model) []string {
	return []string{`cloud: {operation: SetZoneState, args: {id: '${zones.filter(z, z.state == "down")[0].id}', state: available}}`}
}
