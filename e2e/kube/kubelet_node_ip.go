package main

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientset "k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"
)

// A kubelet that was told --node-ip registers with these addresses and with an annotation that has them, and leaves the rest
// to the cloud controller manager (pkg/kubelet/nodestatus, NodeAddress). It refuses addresses that its host does not have, and no
// host has those of a simulated VM. So the Node gets them on its way to the API server.

// toldClient is the client of a kubelet that was told the addresses of its node.
type toldClient struct {
	clientset.Interface
	ips []string
}

// CoreV1 implements clientset.Interface.
func (c toldClient) CoreV1() typedcorev1.CoreV1Interface {
	return toldCore{c.Interface.CoreV1(), c.ips}
}

type toldCore struct {
	typedcorev1.CoreV1Interface
	ips []string
}

// Nodes implements typedcorev1.CoreV1Interface.
func (c toldCore) Nodes() typedcorev1.NodeInterface {
	return toldNodes{c.CoreV1Interface.Nodes(), c.ips}
}

type toldNodes struct {
	typedcorev1.NodeInterface
	ips []string
}

// Create registers the Node.
func (c toldNodes) Create(ctx context.Context, node *corev1.Node, opts metav1.CreateOptions) (*corev1.Node, error) {
	return c.NodeInterface.Create(ctx, told(node, c.ips), opts)
}

// told returns a Node with the addresses that its kubelet was told.
func told(node *corev1.Node, ips []string) *corev1.Node {
	node = node.DeepCopy()
	metav1.SetMetaDataAnnotation(&node.ObjectMeta, cloudproviderapi.AnnotationAlphaProvidedIPAddr, strings.Join(ips, ","))
	var addresses []corev1.NodeAddress
	for _, ip := range ips {
		addresses = append(addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: ip})
	}
	node.Status.Addresses = append(addresses, corev1.NodeAddress{Type: corev1.NodeHostName, Address: node.Name})
	return node
}
