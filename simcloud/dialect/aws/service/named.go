package service

import (
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
)

// maxNamed is how many of the resources that a request names fault rules look at: each may be looked up.
const maxNamed = 100

// Texts are the texts of the list that a prefix leads to, such as "InstanceId." or "Names.member.".
func Texts(f query.Form, prefix string) []string {
	var all []string
	for n := 1; n <= maxNamed; n++ {
		text := f.Text(prefix + strconv.Itoa(n))
		if text == "" {
			break
		}
		all = append(all, text)
	}
	return all
}

// LabelsIn are the tags of a request in the list that a prefix leads to, as the labels of what it creates.
func LabelsIn(f query.Form, prefix string) map[string]string {
	labels := map[string]string{}
	for n := 1; n <= maxNamed; n++ {
		tag := prefix + strconv.Itoa(n) + "."
		if key := f.Text(tag + "Key"); key != "" {
			labels[key] = f.Text(tag + "Value")
		}
	}
	return labels
}
