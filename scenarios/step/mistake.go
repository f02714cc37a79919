package step

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// mistakeError is why a step failed that is wrong in the file, whatever the CCM does.
type mistakeError struct{ error }

func (e mistakeError) Unwrap() error { return e.error }

// IsMistake reports whether a step failed because the file is wrong, which says nothing of the CCM.
func IsMistake(err error) bool {
	var mistake mistakeError
	var unmet *ExpectationError
	if errors.As(err, &unmet) {
		return unmet.mistake
	}
	return errors.As(err, &mistake) || expr.IsMistake(err)
}

// fixed reports whether no expression reads what a CCM can change: each reads nothing but what the cloud has answered when
// the scenario made something. So what comes of them is as the file has it.
func (st *Stage) fixed(all ...*expr.Expr) bool {
	for _, e := range all {
		if !e.ReadsOnly(func(name string) bool { return st.answers[name] }) {
			return false
		}
	}
	return true
}

// lacking finds the mistake of an expression in a text that reads what such an answer does not have.
func (st *Stage) lacking(err error) error {
	var failed *expr.EvalError
	if errors.As(err, &failed) && expr.IsMissing(expr.AsMissing(failed.Err)) && failed.Expr.ReadsAny(slices.Collect(maps.Keys(st.answers))...) && st.fixed(failed.Expr) {
		return mistakeError{err}
	}
	return err
}

// refusedForWhatItSays reports whether the API server has refused a request for what it says, such as a malformed object or the uid of
// another one: that is any status 4xx but those that depend on what there is, who asks and how often.
func refusedForWhatItSays(err error) bool {
	var refused apierrors.APIStatus
	if !errors.As(err, &refused) {
		return false
	}
	switch code := refused.Status().Code; code {
	case http.StatusNotFound, http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	default:
		return code >= http.StatusBadRequest && code < http.StatusInternalServerError
	}
}

// refusedByCluster finds the mistake of a step that the cluster refuses: no such kind, or for what it says. The step
// sends the values of the expressions.
func (st *Stage) refusedByCluster(err error, expressions ...*expr.Expr) error {
	if err == nil || !meta.IsNoMatchError(err) && !refusedForWhatItSays(err) || !st.fixed(expressions...) {
		return err
	}
	return mistakeError{err}
}

// othersKinds are the kinds of resources that no CCM makes: one that never was there is missing whatever the CCM does.
var othersKinds = []simcloud.Kind{
	simcloud.KindProject, simcloud.KindToken, simcloud.KindQuota, simcloud.KindRegion, simcloud.KindZone, simcloud.KindInstanceType,
	simcloud.KindNetwork, simcloud.KindSubnet, simcloud.KindInstance, simcloud.KindVolume, simcloud.KindSSHKey,
	simcloud.KindFloatingIPPool, simcloud.KindCluster,
}

// refusedByCloud finds the mistake of a call that the cloud refuses. Invalid proves one when the arguments that the cloud
// names are as the file has them. NotFound proves one when there never was such a resource, and no CCM would have made it.
func (st *Stage) refusedByCloud(err error, args map[string]expr.Tree) error {
	var refused *simcloud.Error
	if !errors.As(err, &refused) {
		return err
	}
	wrong := false
	switch refused.Code {
	case simcloud.Invalid:
		wrong = st.fixed(refusedArguments(refused, args)...)
	case simcloud.NotFound:
		kind, _, _ := strings.Cut(refused.Resource, "/")
		wrong = slices.Contains(othersKinds, simcloud.Kind(kind)) && !st.witness.resource(refused.Resource) && st.fixed(expr.Tree{Object: args}.Exprs()...)
	default: // of any other code a CCM may be the cause
	}
	if !wrong {
		return err
	}
	return mistakeError{err}
}

// refusedArguments are the expressions in the arguments that the cloud names; in all, when it names none.
func refusedArguments(refused *simcloud.Error, args map[string]expr.Tree) []*expr.Expr {
	var all []*expr.Expr
	for _, f := range refused.Fields {
		name, _, _ := strings.Cut(f.Field, ".")
		name, _, _ = strings.Cut(name, "[")
		arg, given := args[name]
		if !given && name != "" {
			continue // the file lacks it, or has it under another name
		}
		all = append(all, arg.Exprs()...)
	}
	if len(refused.Fields) == 0 {
		return expr.Tree{Object: args}.Exprs()
	}
	return all
}

// othersObjects are the variables with objects that no CCM makes.
var othersObjects = []string{"nodes", "services", "deployments", "persistentVolumes"}

// missingObject finds the mistake of a step about an object that the cluster never had, or about a machine that never was.
func (st *Stage) missingObject(err error, variable, name string, expressions ...*expr.Expr) error {
	absent := apierrors.IsNotFound(err) || errors.Is(err, simcloud.NotFound)
	if !absent || !slices.Contains(othersObjects, variable) || st.witness.object(variable, name) || !st.fixed(expressions...) {
		return err
	}
	return mistakeError{err}
}
