package manager

import (
	"context"
	"io"
)

// Func is a CCM that runs in this process: it works until ctx is done, and
// returns when all that it has started has ended. An error before that is an
// unexpected end, as it is of a process.
type Func func(ctx context.Context, access Access) error

// Access is what a CCM in this process gets.
type Access struct {
	// Kubeconfig is the file with its access to the cluster, CloudConfig the
	// file that simcloud-ccm reads, and TokenFile that with the cloud's token.
	Kubeconfig, CloudConfig, TokenFile string
	// Endpoint is the URL of the cloud.
	Endpoint    string
	ClusterName string
	ClusterCIDR string // of the pods
	// SecurePort is a free port, where /healthz is waited for when the subject Serves.
	SecurePort int
	// Dir is a folder of its own.
	Dir string
	// Flags are all flags that simcloud-ccm gets, with those of the scenario at their end.
	Flags []string
	// Log is the CCM's log: what is said of failures is read there.
	Log io.Writer
}

// InProcess makes a subject of a function. With serves the CCM serves
// /healthz on the secure port, and has started when it is healthy; else it has
// started when the function was called.
func InProcess(name string, run Func, serves bool) CCMSpec {
	s := CCMSpec{Name: name, Run: run}
	if serves {
		s.Args = []string{phFlags}
	}
	return s
}

// InProcess reports whether the CCM runs in this process: it cannot be killed then,
// nor paused, nor have a second replica.
func (s CCMSpec) InProcess() bool { return s.Run != nil }
