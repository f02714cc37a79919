package explore

import (
	"bytes"
	"encoding/binary"
	"runtime/coverage"
)

// CodeReached counts the blocks of code that have run by now in a program that was built with
// "go build -cover -covermode=atomic"; in others it is 0. A test that runs with -cover has testing.Coverage for it.
func CodeReached() float64 {
	var raw bytes.Buffer
	if err := coverage.WriteCounters(&raw); err != nil {
		return 0
	}
	return float64(blocksIn(raw.Bytes()))
}

// What counter data begin with (internal/coverage of Go 1.26): a header with a mark and how numbers are written, and a
// segment with how many functions it has and how long its texts are.
const (
	counterMark    = "\x00cwm"
	counterHeader  = 32
	counterSegment = 16
	flavourAt      = 24
	flavourULEB128 = 2
)

// blocksIn counts the counters that are not 0 in counter data. These have for each function that has run how many
// counters it has, its package, its number and its counters. It returns 0 for data of another format.
func blocksIn(raw []byte) (blocks int) {
	if len(raw) < counterHeader+counterSegment || string(raw[:4]) != counterMark || raw[flavourAt] != flavourULEB128 {
		return 0
	}
	segment := raw[counterHeader:]
	functions := binary.LittleEndian.Uint64(segment)
	texts := binary.LittleEndian.Uint32(segment[8:]) + binary.LittleEndian.Uint32(segment[12:])
	from := uint64(counterSegment) + uint64(texts)
	if from > uint64(len(segment)) {
		return 0
	}
	numbers := numbersIn(segment[from:])
	for ; functions > 0 && len(numbers) >= 3; functions-- {
		end := min(3+numbers[0], uint64(len(numbers)))
		for _, count := range numbers[3:end] {
			if count > 0 {
				blocks++
			}
		}
		numbers = numbers[end:]
	}
	return blocks
}

// numbersIn are the numbers of data, each in as many bytes as it needs.
func numbersIn(raw []byte) (numbers []uint64) {
	for len(raw) > 0 {
		n, size := binary.Uvarint(raw)
		if size <= 0 {
			return numbers
		}
		numbers, raw = append(numbers, n), raw[size:]
	}
	return numbers
}
