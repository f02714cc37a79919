package client

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListProjects returns one page of projects.
func (c *Client) ListProjects(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Project], error) {
	return list[simcloud.Project](ctx, c, "ListProjects", opts)
}

// GetProject returns a project.
func (c *Client) GetProject(ctx context.Context, id simcloud.ID) (simcloud.Project, error) {
	return get[simcloud.Project](ctx, c, "GetProject", id)
}

// CreateProject makes a project.
func (c *Client) CreateProject(ctx context.Context, spec simcloud.ProjectSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Project], error) {
	return mutate[simcloud.Project](ctx, c, "CreateProject", spec, opts)
}

// UpdateProject changes the labels of a project.
func (c *Client) UpdateProject(ctx context.Context, id simcloud.ID, update simcloud.ProjectUpdate, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Project], error) {
	return mutate[simcloud.Project](ctx, c, "UpdateProject", update, opts, id)
}

// DeleteProject deletes a project that has nothing.
func (c *Client) DeleteProject(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	return remove(ctx, c, "DeleteProject", id, opts)
}
