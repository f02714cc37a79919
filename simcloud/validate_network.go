package simcloud

import "fmt"

// Validate checks the attachment. Its error is about the network, since it does not know what is to be attached.
func (a NetworkAttachment) Validate() error {
	var f fieldErrors
	f.networkAttachment("", a)
	return InvalidFields(string(KindNetwork), f)
}

// networks checks the networks that something is to be attached to.
func (f *fieldErrors) networks(path string, all []NetworkAttachment) {
	first := map[ID]int{}
	for i, a := range all {
		field := fmt.Sprintf("%s[%d].", path, i)
		f.networkAttachment(field, a)
		if other, taken := first[a.Network]; taken {
			f.add(field+"network", "%s is %s[%d] already", a.Network, path, other)
		}
		first[a.Network] = i
	}
}

func (f *fieldErrors) networkAttachment(path string, a NetworkAttachment) {
	if a.Network == "" {
		f.add(path+"network", "must not be empty: give the id of a network")
	}
	if a.Address != "" {
		f.address(path+"address", a.Address, 0)
	}
}
