// Package deploy is how simcloud-ccm runs in a cluster: kustomize folders, and what of
// them a program needs.
//
// base has everything but what runs it: deployment and daemonset do, and one of
// them is to be applied; leader-migration is a component for a while, example what an operator writes.
package deploy

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"
)

//go:embed base deployment daemonset leader-migration example
var files embed.FS

// Files returns the kustomize folders.
func Files() embed.FS { return files }

// Access is what a cluster must have so that simcloud-ccm may do its work, and nothing more.
type Access struct {
	ServiceAccount      corev1.ServiceAccount
	ClusterRole         rbacv1.ClusterRole
	ClusterRoleBindings []rbacv1.ClusterRoleBinding
	Role                rbacv1.Role
	RoleBindings        []rbacv1.RoleBinding
}

// ReadAccess returns the access that the base gives. Its files are part of the
// program, so that an error is a mistake of whoever built it.
func ReadAccess() (Access, error) {
	var a Access
	err := errors.Join(
		readOne("base/serviceaccount.yaml", &a.ServiceAccount),
		readOne("base/clusterrole.yaml", &a.ClusterRole),
		readAll("base/clusterrolebinding.yaml", &a.ClusterRoleBindings),
		readOne("base/role.yaml", &a.Role),
		readAll("base/rolebinding.yaml", &a.RoleBindings),
	)
	return a, err
}

func readOne[T any](name string, into *T) error {
	var all []T
	if err := readAll(name, &all); err != nil {
		return err
	}
	if len(all) != 1 {
		return fmt.Errorf("%s: %d objects: must be one", name, len(all))
	}
	*into = all[0]
	return nil
}

// readAll appends the objects of a file, whose documents are all of one kind.
func readAll[T any](name string, into *[]T) error {
	data, err := files.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read a manifest: %w", err)
	}
	documents := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(data)))
	defer func() { _ = documents.Close() }()
	buffer := make([]byte, len(data))
	for {
		n, err := documents.Read(buffer)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		var object T
		if err := strict.UnmarshalStrict(buffer[:n], &object); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		*into = append(*into, object)
	}
}
