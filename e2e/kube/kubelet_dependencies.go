package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	cadvisortest "k8s.io/kubernetes/pkg/kubelet/cadvisor/testing"
	"k8s.io/kubernetes/pkg/kubemark"
)

// kubeletDependencies are a hollow kubelet's: fakes for the machine, clients for the API server.
// The event recorder stays the fake one: a real one makes the kubelet read
// /dev/kmsg, which few may, and would report this machine's troubles as the node's.
func kubeletDependencies(o kubeletOptions, flags *options.KubeletFlags, config *kubeletconfig.KubeletConfiguration) (*kubelet.Dependencies, error) {
	access, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("--kubeconfig: %w", err)
	}
	client, heartbeat, err := kubeletClients(access)
	if err != nil {
		return nil, fmt.Errorf("--kubeconfig: %w", err)
	}
	hollow := kubemark.NewHollowKubelet(flags, config, client, heartbeat,
		machine{Fake: &cadvisortest.Fake{NodeName: o.name}, cpus: o.cpus, memoryMiB: o.memoryMiB},
		newFakeImages(), newFakeRuntime(), newContainers())
	if len(o.nodeIPs) > 0 {
		hollow.KubeletDeps.KubeClient = toldClient{client, o.nodeIPs}
	}
	if o.port != 0 {
		if hollow.KubeletDeps.TLSConfig, err = serverTLS(o); err != nil {
			return nil, err
		}
	}
	return hollow.KubeletDeps, nil
}

// kubeletClients returns the client for everything, and the one for
// heartbeats, which gives up in time for the next and is never throttled.
func kubeletClients(access *rest.Config) (client, heartbeat *clientset.Clientset, err error) {
	access.UserAgent = "kubelet"
	access.ContentType = "application/vnd.kubernetes.protobuf"
	access.QPS, access.Burst = 50, 100
	if client, err = clientset.NewForConfig(access); err != nil {
		return nil, nil, err
	}
	beat := rest.CopyConfig(access)
	beat.Timeout = leaseDuration * statusPeriod
	beat.QPS = -1
	heartbeat, err = clientset.NewForConfig(beat)
	return client, heartbeat, err
}

// serverTLS lets only clients in that have a certificate of the CA.
func serverTLS(o kubeletOptions) (*tls.Config, error) {
	cert, err := tls.LoadX509KeyPair(o.certFile, o.keyFile)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert-file: %w", err)
	}
	pem, err := os.ReadFile(o.clientCA)
	if err != nil {
		return nil, fmt.Errorf("--client-ca-file: %w", err)
	}
	clients := x509.NewCertPool()
	if !clients.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("--client-ca-file: no certificate in %s", o.clientCA)
	}
	return &tls.Config{
		MinVersion:   tls.VersionTLS12,
		Certificates: []tls.Certificate{cert},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    clients,
	}, nil
}
