// Package subject builds the cloud controller managers of clouds, unmodified and of a pinned version, so that a profile
// can run them. Each is a row of a table and a module of its own, such as aws/go.mod, which requires it: its
// dependencies are those that it is published with, and none of this module.
package subject

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/e2e/gobuild"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Subject is a cloud controller manager that can be built from source.
type Subject struct {
	// Name is what the commands call it, Title what it is.
	Name, Title string
	// Binary is the name of its program, Package where its main is, and Version that of the module that has it.
	Binary, Package, Version string
	// Takes is how long a build takes, for messages.
	Takes string
}

// all are the subjects. Of each NAME/go.mod requires the package, and NAME.txtar is that module.
var all = []Subject{
	{
		Name: "aws", Title: "aws-cloud-controller-manager of AWS", Binary: "aws-cloud-controller-manager",
		Package: "k8s.io/cloud-provider-aws/cmd/aws-cloud-controller-manager", Version: "v1.37.0",
		Takes: "about 5 minutes on 2 cores when Go has nothing of it in its cache, under one when it has all",
	},
}

//go:generate go test -run=^TestModules$ -update .

// modules are the files of the modules beside this file. A module that is downloaded has no nested modules in it.
//
//go:embed *.txtar
var modules embed.FS

// goRequired is the line of each go.mod.
const goRequired = "1.26"

// All returns the subjects, sorted by name.
func All() []Subject {
	return slices.SortedFunc(slices.Values(all), func(a, b Subject) int { return strings.Compare(a.Name, b.Name) })
}

// Names are those of the subjects, sorted.
func Names() []string {
	var names []string
	for _, s := range All() {
		names = append(names, s.Name)
	}
	return names
}

// Find returns the subject of a name. Its error has the names that exist.
func Find(name string) (Subject, error) {
	i := slices.IndexFunc(all, func(s Subject) bool { return s.Name == name })
	if i < 0 {
		return Subject{}, fmt.Errorf("subject %q not found (have %s)", name, strings.Join(Names(), ", "))
	}
	return all[i], nil
}

// Build returns the path of the program in the cache, and builds it there when it is missing.
func (s Subject) Build(ctx context.Context, progress func(string)) (string, error) {
	return s.program().Build(ctx, progress)
}

// Built returns where the program is in the cache, and whether it is there.
func (s Subject) Built() (path string, built bool) { return s.program().Built() }

// Program returns the path of the program, or answers Unavailable with the command that builds it when it is missing.
func (s Subject) Program() (string, error) {
	path, built := s.Built()
	if !built {
		return "", simcloud.Errorf(simcloud.Unavailable, "", "%s %s is not built: build it with \"simcloud subject build %s\"", s.Binary, s.Version, s.Name)
	}
	return path, nil
}

func (s Subject) program() gobuild.Program {
	module, _ := modules.ReadFile(s.Name + ".txtar") // each row has one: TestModules
	from, _, _ := strings.Cut(s.Package, "/cmd/")
	return gobuild.Program{
		Name: s.Binary, Package: s.Package, Module: module, Args: s.args(), Folder: "subject-" + s.Name,
		Of: from + " " + s.Version, Takes: s.Takes, Go: goRequired,
		Instead: "name a built binary by --profile " + s.Name + "=PATH",
	}
}

// args are those of "go build". What they compile is what any build of this project without cgo compiles, so that Go's
// cache serves all. The version is what the program reports to the API server.
func (s Subject) args() []string {
	return []string{"build", "-trimpath", "-ldflags", "-s -w -X k8s.io/component-base/version.gitVersion=" + s.Version}
}
