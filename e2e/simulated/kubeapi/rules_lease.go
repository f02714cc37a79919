package kubeapi

import (
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// leaseRules are those of Leases, whose updates need a resource version: two holders cannot both win.
var leaseRules = rules{
	upserts: true, conditional: true,
	created:  func(object runtime.Object) { object.(*coordinationv1.Lease).Spec.Strategy = nil },
	validate: func(object runtime.Object) field.ErrorList { return validateLease(object.(*coordinationv1.Lease).Spec) },
}

func validateLease(spec coordinationv1.LeaseSpec) (errs field.ErrorList) {
	at := field.NewPath("spec")
	if seconds := spec.LeaseDurationSeconds; seconds != nil && *seconds <= 0 {
		errs = append(errs, field.Invalid(at.Child("leaseDurationSeconds"), *seconds, "must be greater than 0"))
	}
	if count := spec.LeaseTransitions; count != nil && *count < 0 {
		errs = append(errs, field.Invalid(at.Child("leaseTransitions"), *count, "must be greater than or equal to 0"))
	}
	return errs
}
