package sandbox

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/machine"
)

// State is the state file of a sandbox: what other processes need to
// know of it. The process that runs the sandbox keeps it current.
type State struct {
	Name       string    `json:"name"`
	PID        int       `json:"pid"`
	Phase      string    `json:"phase"`
	Endpoint   string    `json:"endpoint,omitempty"`
	TokenFile  string    `json:"tokenFile,omitempty"`
	Kubeconfig string    `json:"kubeconfig,omitempty"`
	Backend    string    `json:"backend"`
	Started    time.Time `json:"started"`
	// Path is a folder to put into PATH: it has a kubectl. Empty when there is one.
	Path     string           `json:"path,omitempty"`
	CCM      CCM              `json:"ccm"`
	Machines []machine.Status `json:"machines,omitempty"`
}

// The phases of a sandbox.
const (
	PhaseStarting = "starting"
	PhaseReady    = "ready"
	PhaseStopping = "stopping"
	PhaseCrashed  = "crashed" // never in the file: no process runs it any more
)

// CCM is how the cloud controller manager does.
type CCM struct {
	Name    string `json:"name"`
	Running bool   `json:"running"`
	Log     string `json:"log,omitempty"`
	// Kubeconfig and CloudConfig are for a CCM that is run by hand.
	Kubeconfig  string `json:"kubeconfig,omitempty"`
	CloudConfig string `json:"cloudConfig,omitempty"`
	// Exits are the exits that were not asked for.
	Exits []control.Exit `json:"exits,omitempty"`
}

// ReadState reads what the process of the sandbox last wrote. Of one that does not run it tells that it crashed.
func (s Folder) ReadState() (State, error) {
	var state State
	raw, err := os.ReadFile(s.Path("state.json"))
	if err != nil {
		return state, err
	}
	if err := json.Unmarshal(raw, &state); err != nil {
		return state, err
	}
	if !s.Running() {
		state.Phase, state.CCM.Running, state.Machines = PhaseCrashed, false, nil
	}
	return state, nil
}

// WriteState replaces the state file at once: who reads it sees the old one or the new one.
// writeState replaces the state as a whole: who reads it meanwhile reads the old one.
func (s Folder) WriteState(state State) error {
	raw, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(s.Dir, ".state-*")
	if err != nil {
		return exit.Environment(err)
	}
	_, err = temp.Write(append(raw, '\n'))
	if err := errors.Join(err, temp.Close()); err != nil {
		return exit.Environment(errors.Join(err, os.Remove(temp.Name())))
	}
	return os.Rename(temp.Name(), filepath.Join(s.Dir, "state.json"))
}
