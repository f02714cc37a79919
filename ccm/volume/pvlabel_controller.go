package volume

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
)

// PVLabelControllerName is the name of the controller for --controllers, and the source of its Events.
const PVLabelControllerName = "pv-label-controller"

// The reasons of this provider's Events on PersistentVolumes.
const (
	// ReasonVolumeNotFound (Warning): the cloud has no volume with the id of the PersistentVolume's volumeHandle.
	ReasonVolumeNotFound = "VolumeNotFound"
	// ReasonVolumePlaceConflict (Warning): labels of the PersistentVolume say another zone or region than the cloud; nothing was changed.
	ReasonVolumePlaceConflict = "VolumePlaceConflict"
)

// PVLabelController tells PersistentVolumes where their volumes are: by the
// labels of zone and region, and by an affinity to nodes that are there, too.
// One that has them already costs no call of the cloud.
type PVLabelController struct {
	labeler  cloudprovider.PVLabeler
	kube     kubernetes.Interface
	lister   corelisters.PersistentVolumeLister
	synced   cache.InformerSynced
	queue    workqueue.TypedRateLimitingInterface[string]
	recorder record.EventRecorder
}

// NewPVLabelController returns a controller that follows the informer's volumes once it runs.
func NewPVLabelController(labeler cloudprovider.PVLabeler, kube kubernetes.Interface, volumes coreinformers.PersistentVolumeInformer) (*PVLabelController, error) {
	c := &PVLabelController{
		labeler: labeler, kube: kube, lister: volumes.Lister(), synced: volumes.Informer().HasSynced,
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(workqueue.DefaultTypedControllerRateLimiter[string](),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "pv-label"}),
	}
	_, err := volumes.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.enqueue,
		UpdateFunc: func(_, changed any) { c.enqueue(changed) },
	})
	return c, err
}

// enqueue queues a volume that does not say where it is.
func (c *PVLabelController) enqueue(obj any) {
	if pv, ok := obj.(*v1.PersistentVolume); ok && unplaced(pv) {
		c.queue.Add(pv.Name)
	}
}

func unplaced(pv *v1.PersistentVolume) bool { return pv.DeletionTimestamp == nil && !placed(pv) }

// Run works with so many workers until ctx is done, and returns when all have ended.
func (c *PVLabelController) Run(ctx context.Context, workers int) {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedv1.EventSinkImpl{Interface: c.kube.CoreV1().Events("")})
	c.recorder = broadcaster.NewRecorder(scheme.Scheme, v1.EventSource{Component: PVLabelControllerName})

	var working sync.WaitGroup
	defer working.Wait()
	defer c.queue.ShutDown()
	if !cache.WaitForCacheSync(ctx.Done(), c.synced) {
		return
	}
	for range workers {
		working.Go(func() {
			for c.next(ctx) {
			}
		})
	}
	<-ctx.Done()
}

// next works on one volume, and comes back to one that could not be placed.
func (c *PVLabelController) next(ctx context.Context) bool {
	name, ended := c.queue.Get()
	if ended {
		return false
	}
	defer c.queue.Done(name)
	if err := c.sync(ctx, name); err != nil {
		klog.ErrorS(err, "The volume could not be told where it is", "persistentVolume", name)
		c.queue.AddRateLimited(name)
		return true
	}
	c.queue.Forget(name)
	return true
}

func (c *PVLabelController) sync(ctx context.Context, name string) error {
	pv, err := c.lister.Get(name)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	case !unplaced(pv):
		return nil
	}
	labels, err := c.labeler.GetLabelsForVolume(ctx, pv)
	if errors.Is(err, call.DiskGone()) {
		c.recorder.Event(pv, v1.EventTypeWarning, ReasonVolumeNotFound, err.Error())
	}
	if err != nil || len(labels) == 0 {
		return err
	}
	changed, err := withPlace(pv, labels)
	if err != nil {
		c.recorder.Event(pv, v1.EventTypeWarning, ReasonVolumePlaceConflict, err.Error())
		return nil // until the volume is changed
	}
	return c.patch(ctx, pv, changed)
}

// patch changes a volume, unless it has changed meanwhile.
func (c *PVLabelController) patch(ctx context.Context, before, after *v1.PersistentVolume) error {
	patch, err := patchBetween(before, after)
	if err != nil {
		return fmt.Errorf("change persistent volume %s: %w", before.Name, err)
	}
	_, err = c.kube.CoreV1().PersistentVolumes().Patch(ctx, before.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("patch persistent volume %s: %w", before.Name, err)
	}
	return nil
}

// patchBetween has the version in it, so that it does not fit what others have changed.
func patchBetween(before, after *v1.PersistentVolume) ([]byte, error) {
	unversioned := before.DeepCopy()
	unversioned.ResourceVersion = ""
	old, err := json.Marshal(unversioned)
	if err != nil {
		return nil, err
	}
	changed, err := json.Marshal(after)
	if err != nil {
		return nil, err
	}
	return strategicpatch.CreateTwoWayMergePatch(old, changed, v1.PersistentVolume{})
}
