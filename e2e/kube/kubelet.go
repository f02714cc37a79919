package main

import (
	"github.com/spf13/cobra"
	_ "k8s.io/cri-client/pkg"
	_ "k8s.io/cri-client/pkg/fake"
	_ "k8s.io/kubernetes/pkg/kubelet/cadvisor/testing"
	_ "k8s.io/kubernetes/pkg/kubelet/cm"
	_ "k8s.io/kubernetes/pkg/kubemark"
)

func newKubeletCommand() *cobra.Command { return &cobra.Command{} }
