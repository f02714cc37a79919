package controllermanager

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	volumeTable      = "persistentvolumes"
	volumeProtection = "kubernetes.io/pv-protection"
)

// lookAfterVolumes lets new volumes be available, and those go that are deleted and not in use.
func (m *Manager) lookAfterVolumes(ctx context.Context) error {
	return each(m, volumeTable, func(volume *corev1.PersistentVolume) error {
		volumes := m.Kube.CoreV1().PersistentVolumes()
		switch {
		case volume.DeletionTimestamp != nil && slices.Contains(volume.Finalizers, volumeProtection) && volume.Status.Phase != corev1.VolumeBound:
			free := volume.DeepCopy()
			free.Finalizers = slices.DeleteFunc(free.Finalizers, func(f string) bool { return f == volumeProtection })
			_, err := volumes.Update(ctx, free, metav1.UpdateOptions{})
			return unless(err)
		case volume.Status.Phase == corev1.VolumePending && volume.Spec.ClaimRef == nil:
			available := volume.DeepCopy()
			available.Status.Phase = corev1.VolumeAvailable
			_, err := volumes.UpdateStatus(ctx, available, metav1.UpdateOptions{})
			return unless(err)
		}
		return nil
	})
}
