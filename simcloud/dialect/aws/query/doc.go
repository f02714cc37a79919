// Package query is the wire format of AWS' older services: requests are forms, in which
// Filter.1.Value.2 names a place in a structure, and answers are XML. Both are made from
// the types of Go that describe them, by the tags of their fields:
//
//	type describeSubnets struct {
//		Subnets []string `aws:"SubnetId"`
//		Filters []filter `aws:"Filter"`
//	}
//
// The tag has the name on the wire, and options behind commas: "required" for a parameter that a
// request must have, and "omitempty" for a list of an answer that is left out while it is empty.
package query
