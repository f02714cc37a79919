package hcloud

import (
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
)

// ids is how Hetzner shows the ids of resources: as their numbers.
func ids() dialect.IDs {
	var all dialect.IDs
	for _, form := range []struct {
		kind   simcloud.Kind
		prefix string
		keys   []string
	}{
		{simcloud.KindInstance, instancePrefix, []string{"/server"}},
		{simcloud.KindLoadBalancer, loadBalancerPrefix, []string{"/id"}},
		{simcloud.KindNetwork, networkPrefix, []string{"/network"}},
		{simcloud.KindFloatingIP, floatingIPPrefix, []string{"/floating-ip"}},
		{simcloud.KindDocument, documentPrefix, []string{"/http-certificates"}},
		{simcloud.KindOperation, operationPrefix, []string{"/action"}},
	} {
		all = append(all, dialect.IDForm{
			Kind: form.kind, Keys: form.keys,
			Show: func(id simcloud.ID) string { return strconv.FormatInt(numberOf(id), 10) },
			Read: func(text string) simcloud.ID {
				n, err := strconv.ParseInt(text, 10, 64)
				if err != nil || n <= 0 || strconv.FormatInt(n, 10) != text {
					return ""
				}
				return idOf(form.prefix, n)
			},
		})
	}
	return append(all, dialect.IDForm{Kind: simcloud.KindInstanceType, Show: func(id simcloud.ID) string {
		return strconv.FormatInt(numberOfName(string(id)), 10)
	}})
}

// ShownID implements edge.IDShower.
func (Codec) ShownID(kind simcloud.Kind, id simcloud.ID) string { return ids().Shown(kind, id) }
