package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

type projectResult = simcloud.Result[simcloud.Project]

func testProjects(s suite) {
	s.run("GetProject/Default", func(f *fixture) {
		project := must[simcloud.Project](f)(f.GetProject(f.ctx, simcloud.DefaultProject))
		f.equal("its project", project.Project, simcloud.DefaultProject)
	})
	s.run("GetProject/NotFound", func(f *fixture) {
		_, err := f.GetProject(f.ctx, "unknown")
		f.want(err, simcloud.NotFound)
		f.wantResource(err, "project/unknown")
	})
	s.run("CreateProject/OK", func(f *fixture) {
		spec := simcloud.ProjectSpec{Name: "team-a", Labels: map[string]string{"k": "v"}}
		r := must[projectResult](f)(f.CreateProject(f.ctx, spec))
		f.equal("ids", []simcloud.ID{r.Resource.ID, r.Resource.Project}, []simcloud.ID{"team-a", "team-a"})
		f.equal("labels", r.Resource.Labels, spec.Labels)
		f.equal("as read", must[simcloud.Project](f)(f.GetProject(f.ctx, "team-a")), r.Resource)
		f.done(r.Operation, "CreateProject", simcloud.KindProject, "team-a")
	})
	s.run("CreateProject/NameTaken", func(f *fixture) {
		_, err := f.CreateProject(f.ctx, simcloud.ProjectSpec{Name: string(simcloud.DefaultProject)})
		f.want(err, simcloud.AlreadyExists)
	})
	s.run("CreateProject/Invalid", func(f *fixture) {
		_, err := f.CreateProject(f.ctx, simcloud.ProjectSpec{Name: "-", Labels: map[string]string{"": "v"}})
		f.wantField(err, "name")
		f.wantField(err, "labels")
	})
	s.run("UpdateProject/OK", func(f *fixture) {
		f.project()
		labels := map[string]string{"a": "b"}
		r := must[projectResult](f)(f.UpdateProject(f.ctx, "p", simcloud.ProjectUpdate{Labels: &labels}))
		f.equal("labels", must[simcloud.Project](f)(f.GetProject(f.ctx, "p")).Labels, labels)
		f.done(r.Operation, "UpdateProject", simcloud.KindProject, "p")
	})
	s.run("UpdateProject/Invalid", func(f *fixture) {
		labels := map[string]string{"": "v"}
		_, err := f.UpdateProject(f.ctx, simcloud.DefaultProject, simcloud.ProjectUpdate{Labels: &labels})
		f.wantField(err, "labels")
	})
	testProjectDeletion(s)
}

func testProjectDeletion(s suite) {
	s.run("DeleteProject/OK", func(f *fixture) {
		f.project()
		token := f.token(simcloud.TokenSpec{Name: "t", Project: "p", Role: simcloud.RoleReader})
		must[tokenResult](f)(f.RevokeToken(f.ctx, token.ID))
		f.done(must[simcloud.Operation](f)(f.DeleteProject(f.ctx, "p")), "DeleteProject", simcloud.KindProject, "p")
		_, err := f.GetProject(f.ctx, "p")
		f.want(err, simcloud.NotFound)
		_, err = f.GetToken(f.ctx, token.ID)
		f.want(err, simcloud.NotFound)
	})
	s.run("DeleteProject/Default", func(f *fixture) {
		_, err := f.DeleteProject(f.ctx, simcloud.DefaultProject)
		f.want(err, simcloud.Conflict)
	})
	s.run("DeleteProject/ActiveToken", func(f *fixture) {
		f.project()
		f.token(simcloud.TokenSpec{Name: "t", Project: "p", Role: simcloud.RoleReader})
		_, err := f.DeleteProject(f.ctx, "p")
		f.want(err, simcloud.InUse)
		f.wantResource(err, "project/p")
	})
}
