package step

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var scaleVerb = syntax.Verb{
	Name:     "scale",
	Doc:      "sets the number of replicas of an object of the cluster",
	Effect:   syntax.Acts,
	Examples: []string{"{target: deployment/web, replicas: 3}"},
	New:      func() syntax.Action { return &scaleAction{} },
}

type scaleAction struct {
	Target   target `yaml:"target,required" doc:"an object of the cluster, such as service/web"`
	Replicas int    `yaml:"replicas,required" doc:"how many there should be"`
}

func (a *scaleAction) Text() string { return fmt.Sprintf("%s to %d", a.Target.text, a.Replicas) }

func (a *scaleAction) run(ctx context.Context, st *Stage) error {
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, a.Replicas)
	return patchObject(ctx, st, a.Target, types.MergePatchType, patch, "scale")
}
