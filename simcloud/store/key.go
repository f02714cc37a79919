package store

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Ordered returns a key that sorts as n does.
func Ordered(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }

// Order returns the n of a key that ends in Ordered(n).
func Order(key string) uint64 { return order([]byte(key)) }

func order(key []byte) uint64 {
	if len(key) < 8 {
		return 0
	}
	return binary.BigEndian.Uint64(key[len(key)-8:])
}

// Key joins parts so that different parts never make one key, and that the key
// of the first parts is a prefix of the key of all.
func Key(parts ...string) string {
	var key []byte
	for _, part := range parts {
		key = appendPart(key, part)
	}
	return string(key)
}

// PartAfter returns the part of a key that follows these ones.
func PartAfter(key string, parts ...string) string {
	rest := strings.TrimPrefix(key, Key(parts...))
	if len(rest) < 2 {
		return ""
	}
	size := int(binary.BigEndian.Uint16([]byte(rest)))
	return rest[2:min(len(rest), 2+size)]
}

func appendPart(key []byte, part string) []byte {
	key = binary.BigEndian.AppendUint16(key, uint16(len(part)))
	return append(key, part...)
}

// numberOf returns the number in an id such as "i-7". It accepts one spelling
// of each number only.
func numberOf(prefix string, id simcloud.ID) (uint64, bool) {
	digits, ok := strings.CutPrefix(string(id), prefix)
	if !ok || digits == "" || digits[0] == '0' || digits[0] == '+' {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil
}
