package simcloud

// Validate checks what a rebuilt instance begins with.
func (r InstanceRebuild) Validate() error {
	var f fieldErrors
	if r.UserData != nil {
		f.userData(*r.UserData)
	}
	if r.SSHKeys != nil {
		f.sshKeys(*r.SSHKeys)
	}
	return InvalidFields(string(KindInstance), f)
}

// Validate checks that there is a type.
func (r InstanceResize) Validate() error {
	return required(KindInstance, "type", r.Type, "the id of an instance type")
}

// Validate checks that there is a zone.
func (m InstanceMigration) Validate() error {
	return required(KindInstance, "zone", m.Zone, "the id of a zone")
}

// required checks the one field that a request has.
func required(kind Kind, field string, id ID, want string) error {
	var f fieldErrors
	if id == "" {
		f.add(field, "must not be empty: give %s", want)
	}
	return InvalidFields(string(kind), f)
}

// Validate checks the spec.
func (s AddressSpec) Validate() error {
	var f fieldErrors
	oneOf(&f, "scope", s.Scope, ScopePrivate, ScopePublic)
	f.address("address", s.Address, s.Family)
	if s.Scope == ScopePublic && s.Address != "" {
		f.add("address", "may only be set when scope is private: a floating IP can be a certain public address")
	}
	if s.Scope == ScopePublic && s.Network != "" {
		f.add("network", "may only be set when scope is private: a public address is of no network")
	}
	return InvalidFields(string(KindInstance), f)
}
