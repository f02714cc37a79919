package run

import (
	"cmp"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// unsimulated counts the calls that were answered that simcloud does not simulate what they ask for, and not
// because of a fault rule.
func unsimulated(calls []any) map[string]int {
	counts := map[string]int{}
	for _, c := range calls {
		text := func(key string) string {
			value, _ := observe.Dig(c, key).(string)
			return value
		}
		if simcloud.Code(text("code")) == simcloud.Unimplemented && text("fault") == "" {
			counts[cmp.Or(text("name"), text("operation"))+": "+text("message")]++
		}
	}
	if len(counts) == 0 {
		return nil
	}
	return counts
}
