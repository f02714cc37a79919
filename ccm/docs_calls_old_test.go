package ccm

import (
	"strings"

	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/ccm/volume"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// documentedOldCalls are the calls of what came before InstancesV2, and of the
// interfaces that upstream's controllers do not use.
func documentedOldCalls() []documented {
	const byID, byName, always = "by provider id", "by the name of a Node that has none", "always"
	id := func(w *world) string { return w.nodes[0].Spec.ProviderID }
	cluster := func(w *world) {
		if _, err := w.api.CreateCluster(w.ctx(), simcloud.ClusterSpec{Name: ccmtest.Cluster, Endpoint: "https://10.0.0.1:6443"}); err != nil {
			w.t.Fatal(err)
		}
	}
	return []documented{
		{method: "Instances.NodeAddresses", situation: byName, do: func(w *world) error {
			_, err := w.cloud.old.NodeAddresses(w.ctx(), "node-1")
			return err
		}},
		{method: "Instances.NodeAddressesByProviderID", situation: byID, do: func(w *world) error {
			_, err := w.cloud.old.NodeAddressesByProviderID(w.ctx(), id(w))
			return err
		}},
		{method: "Instances.InstanceID", situation: byName, do: func(w *world) error {
			_, err := w.cloud.old.InstanceID(w.ctx(), "node-1")
			return err
		}},
		{method: "Instances.InstanceType", situation: byName, do: func(w *world) error {
			_, err := w.cloud.old.InstanceType(w.ctx(), "node-1")
			return err
		}},
		{method: "Instances.InstanceTypeByProviderID", situation: byID, do: func(w *world) error {
			_, err := w.cloud.old.InstanceTypeByProviderID(w.ctx(), id(w))
			return err
		}},
		{method: "Instances.AddSSHKeyToAllInstances", situation: "a new key", do: func(w *world) error {
			return w.cloud.old.AddSSHKeyToAllInstances(w.ctx(), "ops", []byte(documentedKey))
		}},
		{method: "Instances.CurrentNodeName", situation: always, do: func(w *world) error {
			_, err := w.cloud.old.CurrentNodeName(w.ctx(), "node-1")
			return err
		}},
		{method: "Instances.InstanceExistsByProviderID", situation: byID, do: func(w *world) error {
			_, err := w.cloud.old.InstanceExistsByProviderID(w.ctx(), id(w))
			return err
		}},
		{method: "Instances.InstanceShutdownByProviderID", situation: byID, do: func(w *world) error {
			_, err := w.cloud.old.InstanceShutdownByProviderID(w.ctx(), id(w))
			return err
		}},
		{method: "Zones.GetZone", situation: always, do: func(w *world) error {
			w.cloud.old.Hostname = func() (string, error) { return "node-1", nil }
			_, err := w.cloud.old.GetZone(w.ctx())
			return err
		}},
		{method: "Zones.GetZoneByProviderID", situation: byID, do: func(w *world) error {
			_, err := w.cloud.old.GetZoneByProviderID(w.ctx(), id(w))
			return err
		}},
		{method: "Zones.GetZoneByNodeName", situation: byName, do: func(w *world) error {
			_, err := w.cloud.old.GetZoneByNodeName(w.ctx(), "node-1")
			return err
		}},
		{method: "Clusters.ListClusters", situation: always, do: func(w *world) error {
			_, err := w.cloud.clusters.ListClusters(w.ctx())
			return err
		}},
		{method: "Clusters.Master", situation: always, before: cluster, do: func(w *world) error {
			_, err := w.cloud.clusters.Master(w.ctx(), ccmtest.Cluster)
			return err
		}},
		{method: "PVLabeler.GetLabelsForVolume", situation: "a volume of " + volume.Driver, do: func(w *world) error {
			made, err := w.api.CreateVolume(w.ctx(), simcloud.VolumeSpec{Name: "data", SizeGiB: 1})
			if err != nil {
				return err
			}
			_, err = w.cloud.GetLabelsForVolume(w.ctx(), ccmtest.VolumeOf(volume.Driver, string(made.Resource.ID)))
			return err
		}},
		{method: "PVLabeler.GetLabelsForVolume", situation: "another driver's", do: func(w *world) error {
			_, err := w.cloud.GetLabelsForVolume(w.ctx(), ccmtest.VolumeOf("ebs.csi.aws.com", "vol-1"))
			return err
		}},
	}
}

// documentedKey is a public key without an owner.
var documentedKey = "ssh-ed25519 " + "AAAAC3NzaC1lZDI1NTE5AAAAI" + strings.Repeat("A", 43) + " unknown"
