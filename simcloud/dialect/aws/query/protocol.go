package query

// Protocol is what differs between the services in how they write structures.
type Protocol struct {
	// member is what stands between the name of a list and the number of its element in
	// a form; empty for nothing.
	member string
	// item is the name of an element of a list in an answer.
	item string
	// nested is whether an answer has its content in an element of its own, beside the metadata.
	nested bool
}

// The protocols, by AWS' names for them.
var (
	// EC2Query is that of EC2: Filter.1.Name, and <item>.
	EC2Query = Protocol{item: "item"}
	// AWSQuery is that of Elastic Load Balancing and STS: Listeners.member.1.Protocol, and <member>.
	AWSQuery = Protocol{member: "member", item: "member", nested: true}
)
