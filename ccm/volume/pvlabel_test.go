package volume

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
)

func TestWithPlace(t *testing.T) {
	t.Parallel()
	labels := map[string]string{v1.LabelTopologyZone: "zone-b", v1.LabelTopologyRegion: "region-1"}
	plain, labelled, bound, contrary := ccmtest.VolumeOf(Driver, "vol-1"), ccmtest.VolumeOf(Driver, "vol-1"), ccmtest.VolumeOf(Driver, "vol-1"), ccmtest.VolumeOf(Driver, "vol-1")
	labelled.Labels = map[string]string{"mine": "x", v1.LabelTopologyZone: "zone-b"}
	bound.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: affinityTo(map[string]string{"csi": "says"})}
	contrary.Labels = map[string]string{v1.LabelTopologyZone: "zone-a"}
	for name, c := range map[string]struct {
		pv       *v1.PersistentVolume
		affinity *v1.NodeSelector
		labels   map[string]string
	}{
		"plain":    {plain, affinityTo(labels), labels},
		"labelled": {labelled, affinityTo(labels), map[string]string{"mine": "x", v1.LabelTopologyZone: "zone-b", v1.LabelTopologyRegion: "region-1"}},
		"bound":    {bound, affinityTo(map[string]string{"csi": "says"}), labels},
	} {
		before := c.pv.DeepCopy()
		got, err := withPlace(c.pv, labels)
		if err != nil || !placed(got) {
			t.Errorf("%s: %v, %v", name, got, err)
			continue
		}
		if diff := cmp.Diff(c.labels, got.Labels); diff != "" {
			t.Errorf("%s: labels (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.affinity, got.Spec.NodeAffinity.Required); diff != "" {
			t.Errorf("%s: affinity (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(before, c.pv); diff != "" {
			t.Errorf("%s: what was given has changed (-before +after):\n%s", name, diff)
		}
	}
	if got, err := withPlace(contrary, labels); err == nil || got != nil || !strings.Contains(err.Error(), "zone-a") {
		t.Errorf("a label that says otherwise: %v, %v; want an error", got, err)
	}
}

// labeler answers for volumes, and counts the questions.
type labeler struct {
	mu     sync.Mutex
	asked  []string
	answer func(handle string) (map[string]string, error)
}

func (l *labeler) GetLabelsForVolume(_ context.Context, pv *v1.PersistentVolume) (map[string]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, pv.Name)
	return l.answer(pv.Spec.CSI.VolumeHandle)
}

// settle runs the controller over volumes until it has nothing more to do for
// an hour, and returns the cluster as it is then.
func settle(t *testing.T, l *labeler, volumes ...runtime.Object) *fake.Clientset {
	t.Helper()
	kube := fake.NewClientset(volumes...)
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		factory := informers.NewSharedInformerFactory(kube, 0)
		c, err := NewPVLabelController(l, kube, factory.Core().V1().PersistentVolumes())
		if err != nil {
			t.Fatal(err)
		}
		factory.Start(ctx.Done())
		var running sync.WaitGroup
		running.Go(func() { c.Run(ctx, 2) })
		time.Sleep(time.Hour)
		synctest.Wait()
		stop()
		running.Wait()
		factory.Shutdown()
	})
	return kube
}

// patches counts the changes of PersistentVolumes, and reasons are those of the Events.
func patches(kube *fake.Clientset) (n int, reasons []string) {
	for _, action := range kube.Actions() {
		if action.GetVerb() == "patch" && action.GetResource().Resource == "persistentvolumes" {
			n++
		}
	}
	events, _ := kube.CoreV1().Events("").List(context.Background(), metav1.ListOptions{})
	for _, e := range events.Items {
		if !slices.Contains(reasons, e.Reason) {
			reasons = append(reasons, e.Reason)
		}
	}
	return n, reasons
}

func TestPVLabelController(t *testing.T) {
	t.Parallel()
	here := map[string]string{v1.LabelTopologyZone: "zone-b", v1.LabelTopologyRegion: "region-1"}
	failures := 0
	for name, c := range map[string]struct {
		edit    func(*v1.PersistentVolume)
		answer  func(string) (map[string]string, error)
		placed  bool
		patches int
		reasons []string
		asked   int // at most
	}{
		"new":       {func(*v1.PersistentVolume) {}, func(string) (map[string]string, error) { return here, nil }, true, 1, nil, 1},
		"another's": {func(*v1.PersistentVolume) {}, func(string) (map[string]string, error) { return map[string]string{}, nil }, false, 0, nil, 1},
		"going": {func(pv *v1.PersistentVolume) {
			pv.DeletionTimestamp, pv.Finalizers = &metav1.Time{Time: time.Unix(1, 0)}, []string{"kubernetes.io/pv-protection"}
		}, func(string) (map[string]string, error) { return here, nil }, false, 0, nil, 0},
		"placed": {func(pv *v1.PersistentVolume) {
			pv.Labels, pv.Spec.NodeAffinity = here, &v1.VolumeNodeAffinity{Required: affinityTo(here)}
		}, func(string) (map[string]string, error) { return here, nil }, true, 0, nil, 0},
		"contrary": {func(pv *v1.PersistentVolume) { pv.Labels = map[string]string{v1.LabelTopologyZone: "moon"} },
			func(string) (map[string]string, error) { return here, nil }, false, 0, []string{ReasonVolumePlaceConflict}, 1},
		"gone": {func(*v1.PersistentVolume) {}, func(string) (map[string]string, error) { return nil, call.DiskGone() }, false, 0, []string{ReasonVolumeNotFound}, 30},
		"cloud down for a while": {func(*v1.PersistentVolume) {}, func(string) (map[string]string, error) {
			if failures++; failures < 5 {
				return nil, errors.New("connection reset")
			}
			return here, nil
		}, true, 1, nil, 5},
	} {
		t.Run(name, func(t *testing.T) {
			pv, l := ccmtest.VolumeOf(Driver, "vol-1"), &labeler{answer: c.answer}
			c.edit(pv)
			kube := settle(t, l, pv)
			got, err := kube.CoreV1().PersistentVolumes().Get(t.Context(), "pv-1", metav1.GetOptions{})
			if err != nil || placed(got) != c.placed {
				t.Errorf("volume %v, %v; want placed %v", got, err, c.placed)
			}
			if n, reasons := patches(kube); n != c.patches || !slices.Equal(reasons, c.reasons) {
				t.Errorf("%d patches and the Events %v; want %d and %v", n, reasons, c.patches, c.reasons)
			}
			if len(l.asked) > c.asked {
				t.Errorf("asked %d times, want at most %d", len(l.asked), c.asked)
			}
		})
	}
}

// A patch must not apply to a volume that has changed since.
func TestAPatchHasTheVersion(t *testing.T) {
	t.Parallel()
	pv := ccmtest.VolumeOf(Driver, "vol-1")
	pv.ResourceVersion = "42"
	after, err := withPlace(pv, map[string]string{v1.LabelTopologyZone: "zone-b"})
	if err != nil {
		t.Fatal(err)
	}
	patch, err := patchBetween(pv, after)
	if err != nil || !strings.Contains(string(patch), `"resourceVersion":"42"`) {
		t.Errorf("patch %s, %v; want the version in it", patch, err)
	}
}
