package simcloud

import "strings"

// Role returns the least role whose tokens may call the operation.
func (e Endpoint) Role() Role {
	switch {
	case strings.HasPrefix(e.Path, "/_sim/"), e.Kind() == KindToken, e.Write() && sharedKinds[e.Kind()]:
		return RoleAdmin
	case e.Write():
		return RoleWriter
	default:
		return RoleReader
	}
}

// Allows reports whether a token with the role may call the operation.
func (e Endpoint) Allows(role Role) bool {
	switch e.Role() {
	case RoleAdmin:
		return role == RoleAdmin
	case RoleWriter:
		return role == RoleAdmin || role == RoleWriter
	default:
		return true
	}
}

// sharedKinds are the kinds that all projects share, or that say what a project may have.
var sharedKinds = map[Kind]bool{
	KindProject: true, KindQuota: true, KindRegion: true, KindZone: true, KindInstanceType: true, KindFloatingIPPool: true,
}
