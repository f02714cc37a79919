// Package spelling finds the name that was probably meant by one that does not exist.
package spelling

import "strings"

// Nearest returns the name that is closest to a word; "" when none is close.
func Nearest(word string, names []string) string {
	best, closest := 2+len(word)/4, ""
	for _, name := range names {
		if d := Distance(strings.ToLower(name), strings.ToLower(word)); d < best {
			best, closest = d, name
		}
	}
	return closest
}

// Distance is the number of letters to insert, remove or replace to make a into b.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left, diagonal := i+1, row[0]
		row[0] = left
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
