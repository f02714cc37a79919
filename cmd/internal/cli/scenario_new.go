package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/scenarios"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
)

func newScenarioNewCommand() *cobra.Command {
	return &cobra.Command{
		Use: "new FILE", Short: "Create a file with a scenario to begin with, named after it",
		Long: `Create a file with a scenario to begin with, named after it. It passes as it
is: change its steps to what you want to know of your cloud controller manager.

Editors with a YAML language server complete and check it by the schema that its
first line names, which is written beside it.`,
		Args:    usage.ExactArgs(1),
		Example: "  simcloud scenario new my-scenarios/lb-two-ports.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeNewScenario(output.Printer(cmd.OutOrStdout()), args[0])
		},
	}
}

func writeNewScenario(say func(string), path string) error {
	name, isYAML := strings.CutSuffix(filepath.Base(path), ".yaml")
	if !isYAML || name == "" {
		return exit.Usage(fmt.Errorf("FILE is %q: want a path that ends with .yaml, such as my-scenarios/lb-two-ports.yaml", path))
	}
	text := scenarios.Modeline(scenarios.SchemaFile) + fmt.Sprintf(newScenario, name)
	if _, err := scenariorun.Parse(path, []byte(text)); err != nil {
		return exit.Usage(fmt.Errorf("FILE is %q: %w", path, err))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := writeNew(path, text); err != nil {
		return err
	}
	if err := scenarios.WriteSchema(filepath.Dir(path)); err != nil {
		return err
	}
	say(fmt.Sprintf("wrote %s, and %s for editors; run it with: simcloud test %s", path, filepath.Join(filepath.Dir(path), scenarios.SchemaFile), path))
	return nil
}

// writeNew writes a file that is not there yet.
func writeNew(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // others may read it, as all of a repository
	if errors.Is(err, fs.ErrExist) {
		return exit.Usage(fmt.Errorf("%s is there already: want a file that is not", path))
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// newScenario is a scenario that passes, with a step of each sort that most need.
const newScenario = `apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata:
  name: %s
  labels: {area: service}
spec:
  description: A Service of type LoadBalancer gets a load balancer that listens on its ports, and leaves nothing behind.
  nodes: 1
  capabilities: [loadBalancers]
  steps:
  - apply: |
      apiVersion: v1
      kind: Service
      metadata: {name: web, namespace: $NAMESPACE}
      spec: {type: LoadBalancer, selector: {app: web}, ports: [{port: 80}]}
  - because: A CCM must make a load balancer for a Service of type LoadBalancer, and write its address into the status.
    within: 30s
    expect: reachable(services["web"]).size() > 0
  - because: The load balancer must listen on the ports of the Service.
    within: 20s
    expect: services["web"].spec.ports.all(p, loadBalancers[0].listeners.exists(l, l.port == p.port))
  - delete: service/web
  - because: When a Service is deleted, a CCM must remove its load balancer.
    within: 60s
    expect: '!("web" in services) && loadBalancers.size() == 0'
  finally:
  - delete: service/web
`
