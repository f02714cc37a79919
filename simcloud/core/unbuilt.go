package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListProjects is not built yet.
func (c *Cloud) ListProjects(ctx context.Context, opts simcloud.ListOptions) (v simcloud.Page[simcloud.Project], err error) {
	return v, unbuilt("ListProjects")
}

// GetProject is not built yet.
func (c *Cloud) GetProject(ctx context.Context, id simcloud.ID) (v simcloud.Project, err error) {
	return v, unbuilt("GetProject")
}

// CreateProject is not built yet.
func (c *Cloud) CreateProject(ctx context.Context, spec simcloud.ProjectSpec, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Project], err error) {
	return v, unbuilt("CreateProject")
}

// UpdateProject is not built yet.
func (c *Cloud) UpdateProject(ctx context.Context, id simcloud.ID, update simcloud.ProjectUpdate, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Project], err error) {
	return v, unbuilt("UpdateProject")
}

// DeleteProject is not built yet.
func (c *Cloud) DeleteProject(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (v simcloud.Operation, err error) {
	return v, unbuilt("DeleteProject")
}

// ListTokens is not built yet.
func (c *Cloud) ListTokens(ctx context.Context, opts simcloud.ListOptions) (v simcloud.Page[simcloud.Token], err error) {
	return v, unbuilt("ListTokens")
}

// GetToken is not built yet.
func (c *Cloud) GetToken(ctx context.Context, id simcloud.ID) (v simcloud.Token, err error) {
	return v, unbuilt("GetToken")
}

// CreateToken is not built yet.
func (c *Cloud) CreateToken(ctx context.Context, spec simcloud.TokenSpec, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Token], err error) {
	return v, unbuilt("CreateToken")
}

// RotateToken is not built yet.
func (c *Cloud) RotateToken(ctx context.Context, id simcloud.ID, rotation simcloud.TokenRotation, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Token], err error) {
	return v, unbuilt("RotateToken")
}

// RevokeToken is not built yet.
func (c *Cloud) RevokeToken(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Token], err error) {
	return v, unbuilt("RevokeToken")
}

// DeleteToken is not built yet.
func (c *Cloud) DeleteToken(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (v simcloud.Operation, err error) {
	return v, unbuilt("DeleteToken")
}

// UpdateZone is not built yet.
func (c *Cloud) UpdateZone(ctx context.Context, id simcloud.ID, update simcloud.ZoneUpdate, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Zone], err error) {
	return v, unbuilt("UpdateZone")
}

// SetZoneState is not built yet.
func (c *Cloud) SetZoneState(ctx context.Context, id simcloud.ID, spec simcloud.ZoneStateSpec, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Zone], err error) {
	return v, unbuilt("SetZoneState")
}

// RebuildInstance is not built yet.
func (c *Cloud) RebuildInstance(ctx context.Context, id simcloud.ID, rebuild simcloud.InstanceRebuild, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Instance], err error) {
	return v, unbuilt("RebuildInstance")
}

// ResizeInstance is not built yet.
func (c *Cloud) ResizeInstance(ctx context.Context, id simcloud.ID, resize simcloud.InstanceResize, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Instance], err error) {
	return v, unbuilt("ResizeInstance")
}

// MigrateInstance is not built yet.
func (c *Cloud) MigrateInstance(ctx context.Context, id simcloud.ID, migration simcloud.InstanceMigration, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Instance], err error) {
	return v, unbuilt("MigrateInstance")
}

// SuspendInstance is not built yet.
func (c *Cloud) SuspendInstance(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Instance], err error) {
	return v, unbuilt("SuspendInstance")
}

// AddInstanceAddress is not built yet.
func (c *Cloud) AddInstanceAddress(ctx context.Context, id simcloud.ID, spec simcloud.AddressSpec, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Instance], err error) {
	return v, unbuilt("AddInstanceAddress")
}

// RemoveInstanceAddress is not built yet.
func (c *Cloud) RemoveInstanceAddress(ctx context.Context, id simcloud.ID, address simcloud.ID, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Instance], err error) {
	return v, unbuilt("RemoveInstanceAddress")
}

// ListVolumes is not built yet.
func (c *Cloud) ListVolumes(ctx context.Context, opts simcloud.ListOptions) (v simcloud.Page[simcloud.Volume], err error) {
	return v, unbuilt("ListVolumes")
}

// GetVolume is not built yet.
func (c *Cloud) GetVolume(ctx context.Context, id simcloud.ID) (v simcloud.Volume, err error) {
	return v, unbuilt("GetVolume")
}

// CreateVolume is not built yet.
func (c *Cloud) CreateVolume(ctx context.Context, spec simcloud.VolumeSpec, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Volume], err error) {
	return v, unbuilt("CreateVolume")
}

// UpdateVolume is not built yet.
func (c *Cloud) UpdateVolume(ctx context.Context, id simcloud.ID, update simcloud.VolumeUpdate, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Volume], err error) {
	return v, unbuilt("UpdateVolume")
}

// DeleteVolume is not built yet.
func (c *Cloud) DeleteVolume(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (v simcloud.Operation, err error) {
	return v, unbuilt("DeleteVolume")
}

// AttachVolume is not built yet.
func (c *Cloud) AttachVolume(ctx context.Context, id simcloud.ID, to simcloud.VolumeAttachment, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Volume], err error) {
	return v, unbuilt("AttachVolume")
}

// DetachVolume is not built yet.
func (c *Cloud) DetachVolume(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Volume], err error) {
	return v, unbuilt("DetachVolume")
}

// ResizeVolume is not built yet.
func (c *Cloud) ResizeVolume(ctx context.Context, id simcloud.ID, resize simcloud.VolumeResize, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.Volume], err error) {
	return v, unbuilt("ResizeVolume")
}

// ListSSHKeys is not built yet.
func (c *Cloud) ListSSHKeys(ctx context.Context, opts simcloud.ListOptions) (v simcloud.Page[simcloud.SSHKey], err error) {
	return v, unbuilt("ListSSHKeys")
}

// GetSSHKey is not built yet.
func (c *Cloud) GetSSHKey(ctx context.Context, id simcloud.ID) (v simcloud.SSHKey, err error) {
	return v, unbuilt("GetSSHKey")
}

// CreateSSHKey is not built yet.
func (c *Cloud) CreateSSHKey(ctx context.Context, spec simcloud.SSHKeySpec, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.SSHKey], err error) {
	return v, unbuilt("CreateSSHKey")
}

// UpdateSSHKey is not built yet.
func (c *Cloud) UpdateSSHKey(ctx context.Context, id simcloud.ID, update simcloud.SSHKeyUpdate, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.SSHKey], err error) {
	return v, unbuilt("UpdateSSHKey")
}

// DeleteSSHKey is not built yet.
func (c *Cloud) DeleteSSHKey(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (v simcloud.Operation, err error) {
	return v, unbuilt("DeleteSSHKey")
}

// AttachSSHKey is not built yet.
func (c *Cloud) AttachSSHKey(ctx context.Context, id simcloud.ID, to simcloud.SSHKeyTargets, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.SSHKey], err error) {
	return v, unbuilt("AttachSSHKey")
}

// DetachSSHKey is not built yet.
func (c *Cloud) DetachSSHKey(ctx context.Context, id simcloud.ID, from simcloud.SSHKeyTargets, opts ...simcloud.CallOption) (v simcloud.Result[simcloud.SSHKey], err error) {
	return v, unbuilt("DetachSSHKey")
}

// Seed is not built yet.
func (c *Cloud) Seed(ctx context.Context, topology simcloud.Topology) (v simcloud.SeedReport, err error) {
	return v, unbuilt("Seed")
}

// GetConfig is not built yet.
func (c *Cloud) GetConfig(ctx context.Context) (v simcloud.Config, err error) {
	return v, unbuilt("GetConfig")
}

// UpdateConfig is not built yet.
func (c *Cloud) UpdateConfig(ctx context.Context, update simcloud.ConfigUpdate) (v simcloud.Config, err error) {
	return v, unbuilt("UpdateConfig")
}

// ListSnapshots is not built yet.
func (c *Cloud) ListSnapshots(ctx context.Context) (v []simcloud.Snapshot, err error) {
	return v, unbuilt("ListSnapshots")
}

// SaveSnapshot is not built yet.
func (c *Cloud) SaveSnapshot(ctx context.Context, spec simcloud.SnapshotSpec) (v simcloud.Snapshot, err error) {
	return v, unbuilt("SaveSnapshot")
}

// LoadSnapshot is not built yet.
func (c *Cloud) LoadSnapshot(ctx context.Context, name simcloud.ID) (v simcloud.Snapshot, err error) {
	return v, unbuilt("LoadSnapshot")
}

// DiffSnapshot is not built yet.
func (c *Cloud) DiffSnapshot(ctx context.Context, name simcloud.ID, against string) (v simcloud.SnapshotDiff, err error) {
	return v, unbuilt("DiffSnapshot")
}

// DeleteSnapshot is not built yet.
func (c *Cloud) DeleteSnapshot(ctx context.Context, name simcloud.ID) error {
	return unbuilt("DeleteSnapshot")
}

func unbuilt(operation string) error {
	return simcloud.Errorf(simcloud.Unimplemented, "", "%s is not built yet", operation)
}
