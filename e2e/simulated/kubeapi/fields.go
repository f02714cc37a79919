package kubeapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// fieldsOf has for each kind with field selectors of its own what they select by, besides the name and the namespace.
var fieldsOf = map[schema.GroupVersionKind]func(runtime.Object) fields.Set{
	corev1.SchemeGroupVersion.WithKind("Node"): func(o runtime.Object) fields.Set {
		return fields.Set{"spec.unschedulable": strconv.FormatBool(o.(*corev1.Node).Spec.Unschedulable)}
	},
	corev1.SchemeGroupVersion.WithKind("Service"): func(o runtime.Object) fields.Set {
		spec := o.(*corev1.Service).Spec
		return fields.Set{"spec.clusterIP": spec.ClusterIP, "spec.type": string(spec.Type)}
	},
	corev1.SchemeGroupVersion.WithKind("Secret"): func(o runtime.Object) fields.Set {
		return fields.Set{"type": string(o.(*corev1.Secret).Type)}
	},
	corev1.SchemeGroupVersion.WithKind("Namespace"): func(o runtime.Object) fields.Set {
		return fields.Set{"status.phase": string(o.(*corev1.Namespace).Status.Phase)}
	},
	corev1.SchemeGroupVersion.WithKind("Pod"):   podFields,
	corev1.SchemeGroupVersion.WithKind("Event"): eventFields,
}

// withoutNamespace are the kinds of these that are not in namespaces.
var withoutNamespace = map[string]bool{"Node": true, "Namespace": true}

func podFields(o runtime.Object) fields.Set {
	pod := o.(*corev1.Pod)
	return fields.Set{
		"spec.nodeName": pod.Spec.NodeName, "spec.restartPolicy": string(pod.Spec.RestartPolicy), "spec.schedulerName": pod.Spec.SchedulerName,
		"spec.serviceAccountName": pod.Spec.ServiceAccountName, "spec.hostNetwork": strconv.FormatBool(pod.Spec.HostNetwork),
		"status.phase": string(pod.Status.Phase), "status.podIP": pod.Status.PodIP, "status.nominatedNodeName": pod.Status.NominatedNodeName,
	}
}

func eventFields(o runtime.Object) fields.Set {
	event := o.(*corev1.Event)
	about := event.InvolvedObject
	source := event.Source.Component
	if source == "" {
		source = event.ReportingController
	}
	return fields.Set{
		"involvedObject.kind": about.Kind, "involvedObject.namespace": about.Namespace, "involvedObject.name": about.Name,
		"involvedObject.uid": string(about.UID), "involvedObject.apiVersion": about.APIVersion,
		"involvedObject.resourceVersion": about.ResourceVersion, "involvedObject.fieldPath": about.FieldPath,
		"reason": event.Reason, "reportingComponent": event.ReportingController, "source": source, "type": event.Type,
	}
}

// attributesOf returns what the selectors of a kind look at.
func attributesOf(kind schema.GroupVersionKind) func(runtime.Object) (labels.Set, fields.Set, error) {
	own := fieldsOf[kind]
	return func(object runtime.Object) (labels.Set, fields.Set, error) {
		accessor, err := meta.Accessor(object)
		if err != nil {
			return nil, nil, err
		}
		set := fields.Set{}
		if own != nil {
			set = own(object)
		}
		set["metadata.name"] = accessor.GetName()
		if accessor.GetNamespace() != "" {
			set["metadata.namespace"] = accessor.GetNamespace()
		}
		return accessor.GetLabels(), set, nil
	}
}

// addFieldLabels lets requests select by these fields, and refuses others.
func addFieldLabels(s *runtime.Scheme) {
	for gvk, of := range fieldsOf {
		object, err := s.New(gvk)
		utilruntime.Must(err)
		known := of(object)
		utilruntime.Must(s.AddFieldLabelConversionFunc(gvk, func(label, value string) (string, string, error) {
			if _, is := known[label]; is || label == "metadata.name" || label == "metadata.namespace" && !withoutNamespace[gvk.Kind] {
				return label, value, nil
			}
			return "", "", fmt.Errorf("field label not supported: %s", label)
		}))
	}
	utilruntime.Must(s.AddFieldLabelConversionFunc(eventsv1.SchemeGroupVersion.WithKind("Event"), newEventLabel))
}

// newEventLabel is what the field of an Event of events.k8s.io is called in the core group.
func newEventLabel(label, value string) (string, string, error) {
	part, regards := strings.CutPrefix(label, "regarding.")
	_, known := eventFields(&corev1.Event{})["involvedObject."+part]
	switch {
	case regards && known:
		return "involvedObject." + part, value, nil
	case label == "reportingController":
		return "reportingComponent", value, nil
	case slices.Contains([]string{"reason", "type", "metadata.name", "metadata.namespace"}, label):
		return label, value, nil
	}
	return "", "", fmt.Errorf("field label not supported: %s", label)
}
