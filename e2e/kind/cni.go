package kind

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// cniFile is the configuration of a node's pod network, in its folder.
const cniFile = "10-simcloud.conflist"

// cniConfig joins the pods of a node by a wire each to the node, with
// addresses of the node's pod CIDRs. What leaves the node is for its routes to say.
func cniConfig(podCIDRs []string) ([]byte, error) {
	type object = map[string]any
	ranges, routes := []any{}, []any{}
	for _, cidr := range podCIDRs {
		ranges = append(ranges, []any{object{"subnet": cidr}})
		routes = append(routes, object{"dst": everythingLike(cidr)})
	}
	return json.MarshalIndent(object{
		"cniVersion": "0.4.0", "name": "simcloud",
		"plugins": []any{
			object{"type": "ptp", "ipMasq": false, "ipam": object{
				"type": "host-local", "dataDir": "/run/cni-ipam-state", "ranges": ranges, "routes": routes,
			}},
			object{"type": "portmap", "capabilities": object{"portMappings": true}},
		},
	}, "", "  ")
}

// everythingLike is the range of all addresses of a CIDR's family.
func everythingLike(cidr string) string {
	if isIPv6(cidr) {
		return "::/0"
	}
	return "0.0.0.0/0"
}

// followPodCIDRs writes a node's pod network when its Node has pod CIDRs, or
// others, until ctx ends.
func (b *Backend) followPodCIDRs(ctx context.Context, p *plane, name string, write func(config []byte) error) {
	written := ""
	follow := func(object any) {
		node, ok := object.(*corev1.Node)
		if !ok || len(node.Spec.PodCIDRs) == 0 || written == fmt.Sprint(node.Spec.PodCIDRs) {
			return
		}
		config, err := cniConfig(node.Spec.PodCIDRs)
		if err == nil {
			err = write(config)
		}
		if err != nil {
			b.Progress(fmt.Sprintf("no pod network on %s: %v", name, err))
			return
		}
		written = fmt.Sprint(node.Spec.PodCIDRs)
	}
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: cache.NewListWatchFromClient(p.kube.CoreV1().RESTClient(), "nodes", "", fields.OneTermEqualSelector("metadata.name", name)),
		ObjectType:    &corev1.Node{},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    follow,
			UpdateFunc: func(_, object any) { follow(object) },
		},
	})
	informer.RunWithContext(klog.NewContext(ctx, klog.Logger{})) // that a watch breaks is no news
}

// writeCNI puts the file there at once: containerd reads it when it sees it.
func (n *node) writeCNI(config []byte) error {
	path := filepath.Join(n.backend.dir.node(n.spec.Name), cniFolder, cniFile)
	if err := os.WriteFile(path+".new", config, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
