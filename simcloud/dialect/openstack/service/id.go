package service

import (
	"crypto/sha1" //nolint:gosec // names ids, protects nothing; RFC 9562 has it for UUIDs of names
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Kind is a kind of things that have UUIDs.
type Kind struct {
	// tag tells the kinds apart: the third group of an id.
	tag string
	// prefix is that of the cloud's ids, whose number the id has.
	prefix string
}

// The kinds whose ids have the number of a resource of the cloud.
var (
	Servers        = Kind{"4001", "i-"}
	Networks       = Kind{"4002", "net-"}
	Subnets        = Kind{"4003", "subnet-"}
	LoadBalancers  = Kind{"4004", "lb-"}
	FloatingIPs    = Kind{"4005", "fip-"}
	SecurityGroups = Kind{"4006", "sg-"}
	Routers        = Kind{"4007", "rt-"}
	Pools          = Kind{"4008", "tg-"}
	Monitors       = Kind{"4009", "tg-"} // a pool has one at most
	// WholeSubnets stand for a range of a network that has no subnets; their part is the index of the range.
	WholeSubnets = Kind{"400a", "net-"}
	// ServerPorts are in a network, whose number is the part.
	ServerPorts = Kind{"400b", "i-"}
	VIPPorts    = Kind{"400c", "lb-"}
	// RouterPorts are in a subnet of the router's network; their part is its index.
	RouterPorts = Kind{"400d", "rt-"}
	// Listeners have a port and a protocol in place of the first two groups.
	Listeners = Kind{"400e", "lb-"}
	// SecurityGroupRules have numbers of their own, whatever their group.
	SecurityGroupRules = Kind{"400f", "sgr-"}
	Secrets            = Kind{"4010", "doc-"}
	Containers         = Kind{"4011", "doc-"}
	Ports              = Kind{"4012", "doc-"} // those that exist by themselves
)

// maxPart is the largest part: three hexadecimal digits.
const maxPart = 0xfff

// UUID returns the id that something of the cloud has in OpenStack. It depends on the cloud's id alone, so
// that it is known before the cloud runs, and after a reset.
func (k Kind) UUID(id simcloud.ID) string { return k.UUIDOfPart(id, 0) }

// UUIDOfPart returns the id of a part of something, such as the port of a server in a network.
func (k Kind) UUIDOfPart(id simcloud.ID, part uint64) string {
	return k.uuid(0, 0, part, NumberOf(id))
}

// UUIDOfPort returns the id of a port of something, which has a protocol of that number.
func (k Kind) UUIDOfPort(id simcloud.ID, port, protocol int) string {
	return k.uuid(port, protocol, 0, NumberOf(id))
}

func (k Kind) uuid(first, second int, part, number uint64) string {
	return fmt.Sprintf("%08d-%04d-%s-8%03x-%012d", first, second, k.tag, min(part, maxPart), number)
}

// ID returns the id in the cloud of what has a UUID; empty for the UUID of another kind.
func (k Kind) ID(uuid string) simcloud.ID {
	id, _ := k.IDOfPart(uuid)
	return id
}

// IDOfPart returns the id in the cloud of what has a UUID, and the part of it that the UUID is of.
func (k Kind) IDOfPart(uuid string) (id simcloud.ID, part uint64) {
	groups := strings.Split(uuid, "-")
	if len(groups) != len("8-4-4-4-12")/2 || groups[2] != k.tag || len(groups[3]) != len("8000") {
		return "", 0
	}
	number, errNumber := strconv.ParseUint(groups[4], 10, 64)
	part, errPart := strconv.ParseUint(groups[3][1:], 16, 64)
	if errNumber != nil || errPart != nil {
		return "", 0
	}
	id = simcloud.ID(k.prefix + strconv.FormatUint(number, 10))
	if port, protocol, ok := portOf(groups); !ok || k.uuid(port, protocol, part, number) != uuid {
		return "", 0
	}
	return id, part
}

// IDOfPort returns the id in the cloud of what has a UUID, and the port and the protocol that the UUID is of.
func (k Kind) IDOfPort(uuid string) (id simcloud.ID, port, protocol int) {
	if id = k.ID(uuid); id == "" {
		return "", 0, 0
	}
	port, protocol, _ = portOf(strings.Split(uuid, "-"))
	return id, port, protocol
}

func portOf(groups []string) (port, protocol int, ok bool) {
	port, errPort := strconv.Atoi(groups[0])
	protocol, errProtocol := strconv.Atoi(groups[1])
	return port, protocol, errPort == nil && errProtocol == nil
}

// NumberOf is the counter in an id of the cloud: 7 for "i-7".
func NumberOf(id simcloud.ID) uint64 {
	_, digits, _ := strings.Cut(string(id), "-")
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// NamedUUID returns the id of something that the cloud knows by a name, such as a pool of addresses. What has such
// an id is found by comparing it with those of all that there are.
func NamedUUID(kind, name string) string {
	sum := sha1.Sum([]byte(kind + "/" + name)) //nolint:gosec // see the import
	const version, variant = 0x50, 0x80
	sum[6] = sum[6]&0x0f | version
	sum[8] = sum[8]&0x3f | variant
	text := hex.EncodeToString(sum[:16])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:32]
}

// ProjectUUID returns the id of a project, which has no hyphens.
func ProjectUUID(project simcloud.ID) string {
	return strings.ReplaceAll(NamedUUID("project", string(project)), "-", "")
}
