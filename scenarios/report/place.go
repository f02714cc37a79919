package report

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// placePattern is a position as [scenarios.Position] writes it.
var placePattern = regexp.MustCompile(`^(.+?):(\d+)(?::(\d+))?$`)

// placesIn are the positions in the text that says where a step is, from the innermost on.
func placesIn(text string) (all []scenarios.Position) {
	for _, place := range strings.Split(text, ", used at ") {
		if part := placePattern.FindStringSubmatch(place); part != nil {
			line, _ := strconv.Atoi(part[2])   // the pattern has digits alone
			column, _ := strconv.Atoi(part[3]) // or nothing
			all = append(all, scenarios.Position{File: part[1], Line: line, Column: column})
		}
	}
	return all
}
