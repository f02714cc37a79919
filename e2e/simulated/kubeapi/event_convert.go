package kubeapi

import (
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// addEventConversions lets the group events.k8s.io serve the Events of the core group.
func addEventConversions(s *runtime.Scheme) {
	s.AddKnownTypes(schema.GroupVersion{Group: eventsv1.GroupName, Version: runtime.APIVersionInternal}, &corev1.Event{}, &corev1.EventList{})
	utilruntime.Must(s.AddConversionFunc((*eventsv1.Event)(nil), (*corev1.Event)(nil), func(from, to any, _ conversion.Scope) error {
		*to.(*corev1.Event) = coreEvent(*from.(*eventsv1.Event))
		return nil
	}))
	utilruntime.Must(s.AddConversionFunc((*corev1.Event)(nil), (*eventsv1.Event)(nil), func(from, to any, _ conversion.Scope) error {
		*to.(*eventsv1.Event) = newEvent(*from.(*corev1.Event))
		return nil
	}))
	utilruntime.Must(s.AddConversionFunc((*corev1.EventList)(nil), (*eventsv1.EventList)(nil), func(from, to any, _ conversion.Scope) error {
		list := from.(*corev1.EventList)
		items := make([]eventsv1.Event, len(list.Items))
		for i := range items {
			items[i] = newEvent(list.Items[i])
		}
		*to.(*eventsv1.EventList) = eventsv1.EventList{ListMeta: list.ListMeta, Items: items}
		return nil
	}))
}

// coreEvent is an Event of events.k8s.io as it is kept.
func coreEvent(e eventsv1.Event) corev1.Event {
	kept := corev1.Event{
		ObjectMeta: e.ObjectMeta, InvolvedObject: e.Regarding, Related: e.Related, Reason: e.Reason, Message: e.Note, Type: e.Type,
		EventTime: e.EventTime, Action: e.Action, ReportingController: e.ReportingController, ReportingInstance: e.ReportingInstance,
		Source: e.DeprecatedSource, FirstTimestamp: e.DeprecatedFirstTimestamp, LastTimestamp: e.DeprecatedLastTimestamp, Count: e.DeprecatedCount,
	}
	if e.Series != nil {
		kept.Series = &corev1.EventSeries{Count: e.Series.Count, LastObservedTime: e.Series.LastObservedTime}
	}
	return kept
}

// newEvent is an Event that is kept, for events.k8s.io.
func newEvent(e corev1.Event) eventsv1.Event {
	served := eventsv1.Event{
		ObjectMeta: e.ObjectMeta, Regarding: e.InvolvedObject, Related: e.Related, Reason: e.Reason, Note: e.Message, Type: e.Type,
		EventTime: e.EventTime, Action: e.Action, ReportingController: e.ReportingController, ReportingInstance: e.ReportingInstance,
		DeprecatedSource: e.Source, DeprecatedFirstTimestamp: e.FirstTimestamp, DeprecatedLastTimestamp: e.LastTimestamp, DeprecatedCount: e.Count,
	}
	if e.Series != nil {
		served.Series = &eventsv1.EventSeries{Count: e.Series.Count, LastObservedTime: e.Series.LastObservedTime}
	}
	return served
}
