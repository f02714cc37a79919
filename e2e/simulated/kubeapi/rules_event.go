package kubeapi

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// eventStrategy is that of Events: the group events.k8s.io is stricter than the core group.
type eventStrategy struct{ strategy }

// strict reports whether a request is of events.k8s.io.
func strict(ctx context.Context) bool {
	info, found := request.RequestInfoFrom(ctx)
	return found && info.APIGroup == eventsv1.GroupName
}

// Validate judges a new Event.
func (s eventStrategy) Validate(ctx context.Context, object runtime.Object) field.ErrorList {
	event, reporter := object.(*corev1.Event), "reportingComponent"
	if strict(ctx) {
		reporter = "reportingController"
	}
	errs := append(s.strategy.Validate(ctx, object), validateEvent(event, reporter)...)
	if !strict(ctx) {
		return errs
	}
	errs = append(errs, validateSeries(event.Series)...)
	if event.EventTime.IsZero() {
		errs = append(errs, field.Required(field.NewPath("eventTime"), ""))
	}
	if event.Type != corev1.EventTypeNormal && event.Type != corev1.EventTypeWarning {
		errs = append(errs, field.Invalid(field.NewPath("type"), "", fmt.Sprintf("has invalid value: %v", event.Type)))
	}
	return append(errs, validateOldFields(event)...)
}

// validateOldFields refuses what only Events of the core group have.
func validateOldFields(event *corev1.Event) (errs field.ErrorList) {
	for name, set := range map[string]bool{
		"firstTimestamp": !event.FirstTimestamp.IsZero(), "lastTimestamp": !event.LastTimestamp.IsZero(),
		"count": event.Count != 0, "source": event.Source != corev1.EventSource{},
	} {
		if set {
			errs = append(errs, field.Invalid(field.NewPath(name), "", "needs to be unset"))
		}
	}
	return errs
}

// ValidateUpdate judges a changed Event: events.k8s.io only counts series.
func (eventStrategy) ValidateUpdate(ctx context.Context, object, old runtime.Object) field.ErrorList {
	after, before := object.(*corev1.Event), old.(*corev1.Event)
	if !strict(ctx) {
		return validateEvent(after, "reportingComponent")
	}
	errs := validateEvent(after, "reportingController")
	errs = append(errs, validateSeries(after.Series)...)
	for _, f := range []struct {
		name       string
		after, was any
	}{
		{"involvedObject", after.InvolvedObject, before.InvolvedObject},
		{"reason", after.Reason, before.Reason},
		{"message", after.Message, before.Message},
		{"source", after.Source, before.Source},
		{"firstTimestamp", after.FirstTimestamp, before.FirstTimestamp},
		{"lastTimestamp", after.LastTimestamp, before.LastTimestamp},
		{"count", after.Count, before.Count},
		{"type", after.Type, before.Type},
		{"eventTime", after.EventTime, before.EventTime},
		{"action", after.Action, before.Action},
		{"related", after.Related, before.Related},
		{"reportingController", after.ReportingController, before.ReportingController},
		{"reportingInstance", after.ReportingInstance, before.ReportingInstance},
	} {
		errs = append(errs, validation.ValidateImmutableField(f.after, f.was, field.NewPath(f.name))...)
	}
	return errs
}

func validateSeries(series *corev1.EventSeries) (errs field.ErrorList) {
	if series == nil {
		return nil
	}
	if series.Count < 2 {
		errs = append(errs, field.Invalid(field.NewPath("series.count"), "", "should be at least 2"))
	}
	if series.LastObservedTime.IsZero() {
		errs = append(errs, field.Required(field.NewPath("series.lastObservedTime"), ""))
	}
	return errs
}

// validateEvent judges an Event of any group: it is in the namespace of its object, and a new one says who reports it.
func validateEvent(event *corev1.Event, reporter string) (errs field.ErrorList) {
	about := event.InvolvedObject.Namespace
	wrong := field.Invalid(field.NewPath("involvedObject", "namespace"), about, "does not match event.namespace")
	if event.EventTime.IsZero() {
		if about == "" && event.Namespace != metav1.NamespaceDefault || about != "" && event.Namespace != about {
			return field.ErrorList{wrong}
		}
		return nil
	}
	if about == "" && event.Namespace != metav1.NamespaceDefault && event.Namespace != metav1.NamespaceSystem {
		errs = append(errs, wrong)
	}
	if event.ReportingController == "" {
		errs = append(errs, field.Required(field.NewPath(reporter), ""))
	}
	for _, wrong := range utilvalidation.IsQualifiedName(event.ReportingController) {
		errs = append(errs, field.Invalid(field.NewPath(reporter), event.ReportingController, wrong))
	}
	for _, f := range []struct{ name, value string }{
		{"reportingInstance", event.ReportingInstance}, {"action", event.Action}, {"reason", event.Reason},
	} {
		const longest = 128
		if f.value == "" {
			errs = append(errs, field.Required(field.NewPath(f.name), ""))
		}
		if len(f.value) > longest {
			errs = append(errs, field.Invalid(field.NewPath(f.name), "", fmt.Sprintf("can have at most %d characters", longest)))
		}
	}
	return errs
}
