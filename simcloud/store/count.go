package store

import "encoding/binary"

// States counts the resources of all projects by their state, which is empty
// for kinds without one. It reads the index and no resource.
func (b Bucket[T, P]) States(tx *Tx) map[string]int {
	letter := byte(byProject)
	if b.state != nil {
		letter = byState
	}
	counts := map[string]int{}
	cursor := b.index(tx).Cursor()
	for key, _ := cursor.Seek([]byte{letter}); len(key) > 0 && key[0] == letter; key, _ = cursor.Next() {
		state := []byte{}
		if letter == byState {
			state = nextPart(afterPart(key[1:]))
		}
		counts[string(state)]++
	}
	return counts
}

// nextPart is the part that a key begins with, and afterPart what follows it.
func nextPart(key []byte) []byte { return key[2 : len(key)-len(afterPart(key))] }

func afterPart(key []byte) []byte { return key[2+binary.BigEndian.Uint16(key):] }
