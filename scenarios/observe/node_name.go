package observe

import "maps"

// Scenarios call a node by the name of its VM, such as node-2. Where the cloud gives hostnames of its own, as EC2 does, the
// Node has another name, the VM's hostname: the snapshot knows which.

// NodeName is the name of the Node that a scenario calls by this name: its own name, or that of its VM. It is known
// after the VM is gone too; of several VMs with one name the newest counts.
func (s *Snapshot) NodeName(name string) string {
	if _, exists := s.Objects["nodes"][name]; exists {
		return name
	}
	if hostname, known := s.hostnames[name]; known {
		return hostname
	}
	return name
}

// RenamesNodes reports whether Nodes can have other names than scenarios call them by.
func (s *Snapshot) RenamesNodes() bool { return len(s.hostnames) > 0 }

// noteHostname keeps the hostname of a VM, if that is not its name.
func (s *Snapshot) noteHostname(vm map[string]any) {
	name, hostname := field(vm, "name"), field(vm, "hostname")
	if hostname == "" || s.hostnames[name] == hostname || name == hostname && s.hostnames[name] == "" {
		return
	}
	s.hostnames = maps.Clone(s.hostnames) // older snapshots keep theirs
	if s.hostnames == nil {
		s.hostnames = map[string]string{}
	}
	s.hostnames[name] = hostname
}
