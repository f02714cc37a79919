package existing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/sweep"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// claimName is the ConfigMap in kube-system by which a run has a cluster for itself.
const claimName = "simcloud-run"

// takeClaim takes the cluster. It answers Conflict when another run has it.
func takeClaim(ctx context.Context, kube kubernetes.Interface, run string) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	maps := kube.CoreV1().ConfigMaps(metav1.NamespaceSystem)
	_, err = maps.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: claimName},
		Data:       map[string]string{"run": run, "host": host},
	}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	return inUse(ctx, kube)
}

// inUse answers Conflict when a run has the cluster.
func inUse(ctx context.Context, kube kubernetes.Interface) error {
	other, err := kube.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(ctx, claimName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	return simcloud.Errorf(simcloud.Conflict, "backend/existing",
		"the cluster is in use by a run of simcloud on the host %s, since %s; if that crashed, \"simcloud down\" there cleans up after it",
		other.Data["host"], other.CreationTimestamp.Format(time.DateTime))
}

// leave removes all that carries the mark. When the claim is this run's, it
// also takes back what carries no mark, and gives the cluster back. Without the claim
// it may be another cluster at the same address, where nothing but the mark tells what is the run's.
func leave(ctx context.Context, access *rest.Config, mark sweep.Mark) error {
	kube, err := kubernetes.NewForConfig(access)
	if err != nil {
		return err
	}
	maps := kube.CoreV1().ConfigMaps(metav1.NamespaceSystem)
	claim, err := maps.Get(ctx, claimName, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("look whose the cluster is: %w", err)
	}
	ours := err == nil && claim.Data["run"] == mark.Value
	if err := sweep.Marked(ctx, access, mark); err != nil {
		return fmt.Errorf("clean up the cluster: %w", err)
	}
	if !ours {
		return nil
	}
	if err := manager.RestoreHost(ctx, kube); err != nil {
		return fmt.Errorf("clean up the cluster: %w", err)
	}
	err = maps.Delete(ctx, claimName, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &claim.UID}})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("give the cluster back: %w", err)
	}
	return nil
}

// RemoveLeft removes from their clusters what runs have left that crashed, or
// that could not clean up, by their records in a folder. Progress is called for each.
// What fails is in the error, and its record stays.
func RemoveLeft(ctx context.Context, folder string, progress func(string)) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*"+recordEnd))
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range paths {
		r, err := takeRecord(path)
		if err != nil {
			errs = append(errs, err)
		}
		if r != nil {
			errs = append(errs, r.removeLeft(ctx, progress))
		}
	}
	return errors.Join(errs...)
}

func (r *record) removeLeft(ctx context.Context, progress func(string)) error {
	progress(fmt.Sprintf("removing what the run %s left in the cluster of the context %s", r.Run, r.Context))
	t, err := r.target()
	if err == nil {
		err = leave(ctx, t.access, sweep.Mark{Key: LabelRun, Value: r.Run})
	}
	if err != nil {
		return errors.Join(fmt.Errorf("remove what the run %s left in the cluster of the context %q: %w; when the cluster is gone, delete %s",
			r.Run, r.Context, err, r.path), r.release())
	}
	return r.remove()
}
