package tenancy

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type projectResult = simcloud.Result[simcloud.Project]

func testProjects(s suite.Runner) {
	s.Test("GetProject/Default", func(f *suite.Fixture) {
		project := suite.Must[simcloud.Project](f)(f.GetProject(f.Ctx, simcloud.DefaultProject))
		f.Equal("its project", project.Project, simcloud.DefaultProject)
	})
	s.Test("GetProject/NotFound", func(f *suite.Fixture) {
		_, err := f.GetProject(f.Ctx, "unknown")
		f.Want(err, simcloud.NotFound)
		f.WantResource(err, "project/unknown")
	})
	s.Test("CreateProject/OK", func(f *suite.Fixture) {
		spec := simcloud.ProjectSpec{Name: "team-a", Labels: map[string]string{"k": "v"}}
		r := suite.Must[projectResult](f)(f.CreateProject(f.Ctx, spec))
		f.Equal("ids", []simcloud.ID{r.Resource.ID, r.Resource.Project}, []simcloud.ID{"team-a", "team-a"})
		f.Equal("labels", r.Resource.Labels, spec.Labels)
		f.Equal("as read", suite.Must[simcloud.Project](f)(f.GetProject(f.Ctx, "team-a")), r.Resource)
		f.Done(r.Operation, "CreateProject", simcloud.KindProject, "team-a")
	})
	s.Test("CreateProject/NameTaken", func(f *suite.Fixture) {
		_, err := f.CreateProject(f.Ctx, simcloud.ProjectSpec{Name: string(simcloud.DefaultProject)})
		f.Want(err, simcloud.AlreadyExists)
	})
	s.Test("CreateProject/Invalid", func(f *suite.Fixture) {
		_, err := f.CreateProject(f.Ctx, simcloud.ProjectSpec{Name: "-", Labels: map[string]string{"": "v"}})
		f.WantField(err, "name")
		f.WantField(err, "labels")
	})
	s.Test("UpdateProject/OK", func(f *suite.Fixture) {
		f.Project()
		labels := map[string]string{"a": "b"}
		r := suite.Must[projectResult](f)(f.UpdateProject(f.Ctx, "p", simcloud.ProjectUpdate{Labels: &labels}))
		f.Equal("labels", suite.Must[simcloud.Project](f)(f.GetProject(f.Ctx, "p")).Labels, labels)
		f.Done(r.Operation, "UpdateProject", simcloud.KindProject, "p")
	})
	s.Test("UpdateProject/Invalid", func(f *suite.Fixture) {
		labels := map[string]string{"": "v"}
		_, err := f.UpdateProject(f.Ctx, simcloud.DefaultProject, simcloud.ProjectUpdate{Labels: &labels})
		f.WantField(err, "labels")
	})
	testProjectDeletion(s)
}

func testProjectDeletion(s suite.Runner) {
	s.Test("DeleteProject/OK", func(f *suite.Fixture) {
		f.Project()
		token := f.Token(simcloud.TokenSpec{Name: "t", Project: "p", Role: simcloud.RoleReader})
		suite.Must[tokenResult](f)(f.RevokeToken(f.Ctx, token.ID))
		f.Done(suite.Must[simcloud.Operation](f)(f.DeleteProject(f.Ctx, "p")), "DeleteProject", simcloud.KindProject, "p")
		_, err := f.GetProject(f.Ctx, "p")
		f.Want(err, simcloud.NotFound)
		_, err = f.GetToken(f.Ctx, token.ID)
		f.Want(err, simcloud.NotFound)
	})
	s.Test("DeleteProject/Default", func(f *suite.Fixture) {
		_, err := f.DeleteProject(f.Ctx, simcloud.DefaultProject)
		f.Want(err, simcloud.Conflict)
	})
	s.Test("DeleteProject/ActiveToken", func(f *suite.Fixture) {
		f.Project()
		f.Token(simcloud.TokenSpec{Name: "t", Project: "p", Role: simcloud.RoleReader})
		_, err := f.DeleteProject(f.Ctx, "p")
		f.Want(err, simcloud.InUse)
		f.WantResource(err, "project/p")
	})
}
