package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/cloud"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// statusTimeout bounds each question to the cluster.
const statusTimeout = 15 * time.Second

func newStatusCommand(io output.Streams) *cobra.Command {
	var name, format string
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Show the state of a sandbox: its cloud, its control plane, its nodes, its CCM",
		Example: "  simcloud status\n  simcloud status -o json",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			status, err := statusOf(cmd.Context(), name)
			if err != nil {
				return err
			}
			return status.print(io.Out, format)
		},
	}
	usage.SandboxFlag(cmd, &name, "name of the sandbox (default: the one that runs)", sandboxNames)
	usage.ChoiceFlag(cmd, &format, "output", "o", "format: table, json or yaml", output.FormatTable, output.FormatJSON, output.FormatYAML)
	return cmd
}

// sandboxStatus is what status shows.
type sandboxStatus struct {
	sandbox.State
	Cloud        cloudStatus        `json:"cloud"`
	ControlPlane controlPlaneStatus `json:"controlPlane"`
	Nodes        []nodeRow          `json:"nodes"`
}

// cloudStatus is what is unusual about the cloud of a sandbox, or why that is not known.
type cloudStatus struct {
	*cloud.Unusual
	Error string `json:"error,omitempty"`
}

type controlPlaneStatus struct {
	Ready   bool   `json:"ready"`
	Version string `json:"version,omitempty"`
	Error   string `json:"error,omitempty"`
}

type nodeRow struct {
	Name       string `json:"name"`
	Status     string `json:"status"`
	Zone       string `json:"zone,omitempty"`
	ProviderID string `json:"providerID,omitempty"`
}

// statusOf reads the status of a sandbox: also of a named one that crashed.
func statusOf(ctx context.Context, name string) (sandboxStatus, error) {
	s, err := sandbox.Find(name)
	if err != nil && name != "" {
		if crashed, openErr := sandbox.Open(name); openErr == nil && crashed.Exists() {
			s, err = crashed, nil
		}
	}
	if err != nil {
		return sandboxStatus{}, err
	}
	state, err := s.ReadState()
	if err != nil {
		return sandboxStatus{}, sandbox.NotRunning(s, err)
	}
	status := sandboxStatus{State: state}
	if state.Phase == sandbox.PhaseReady {
		status.Cloud = askCloud(ctx, state)
		if err := status.askCluster(ctx); err != nil {
			status.ControlPlane.Error = err.Error()
		}
	}
	return status, nil
}

func askCloud(ctx context.Context, state sandbox.State) cloudStatus {
	c, err := client.New(client.Config{
		UserAgent: "simcloud-cli", Endpoint: state.Endpoint, TokenFile: state.TokenFile, Timeout: statusTimeout, StrongReads: true,
	})
	if err != nil {
		return cloudStatus{Error: err.Error()}
	}
	defer c.Close()
	unusual, err := cloud.ReadUnusual(ctx, c)
	if err != nil {
		return cloudStatus{Error: err.Error()}
	}
	return cloudStatus{Unusual: &unusual}
}

func (s *sandboxStatus) askCluster(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	access, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig)
	if err != nil {
		return err
	}
	access.Timeout = statusTimeout
	kube, err := kubernetes.NewForConfig(access)
	if err != nil {
		return err
	}
	version, err := kube.Discovery().ServerVersion()
	if err != nil {
		return err
	}
	s.ControlPlane = controlPlaneStatus{Ready: true, Version: version.GitVersion}
	nodes, err := kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range nodes.Items {
		node := &nodes.Items[i]
		s.Nodes = append(s.Nodes, nodeRow{Name: node.Name, Status: nodeStatus(node), Zone: node.Labels[corev1.LabelTopologyZone], ProviderID: node.Spec.ProviderID})
	}
	return nil
}

func (s sandboxStatus) print(out io.Writer, f string) error {
	if f := output.Format(f); f.IsDocument() {
		return output.Document(out, f, s)
	}
	return s.printTable(out)
}

func (s sandboxStatus) printTable(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(cells ...string) {
		for i := range cells {
			cells[i] = escape.Line(cells[i])
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	row("SANDBOX", s.Name+" ("+s.Phase+")")
	row("STARTED", s.Started.Format(time.DateTime))
	row("CLOUD", s.Cloud.describe(s.Endpoint))
	row("CONTROL PLANE", s.ControlPlane.describe()+", "+s.Backend)
	row("KUBECONFIG", output.Dash(s.Kubeconfig))
	row("CCM", describeCCM(s.CCM))
	row()
	row("NODE", "STATUS", "MACHINE", "ZONE", "PROVIDER ID")
	for _, node := range s.Nodes {
		row(node.Name, node.Status, s.machineOf(node.Name), output.Dash(node.Zone), output.Dash(node.ProviderID))
	}
	for _, m := range s.Machines {
		if m.Error != "" {
			row(m.Name, m.Error)
		}
	}
	return errors.Join(w.Flush())
}

func (s sandboxStatus) machineOf(node string) string {
	for _, m := range s.Machines {
		if m.Name == node {
			return string(m.State)
		}
	}
	return "off"
}

// describe is the URL of the cloud, and what is unusual about it.
func (c cloudStatus) describe(endpoint string) string {
	texts := []string{output.Dash(endpoint)}
	if c.Unusual != nil {
		texts = append(texts, c.Texts()...)
	}
	if c.Error != "" {
		texts = append(texts, "does not answer: "+c.Error)
	}
	return strings.Join(texts, ", ")
}

func (c controlPlaneStatus) describe() string {
	switch {
	case c.Ready:
		return c.Version
	case c.Error != "":
		return "does not answer: " + c.Error
	}
	return "not asked"
}

func describeCCM(c sandbox.CCM) string {
	switch {
	case c.Name == "none" || c.Name == "":
		return "none"
	case c.Running:
		return c.Name + ", running"
	case len(c.Exits) > 0:
		return c.Name + ", " + c.Exits[len(c.Exits)-1].Reason
	}
	return c.Name + ", stopped"
}
