package lb

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
)

// The reasons of this provider's Events on Services.
const (
	// ReasonInvalid (Warning): the Service asks for what cannot be; nothing was changed.
	ReasonInvalid = "InvalidLoadBalancer"
	// ReasonRefused (Warning): the cloud refuses, and will until an operator acts: a quota, a full pool, something in use.
	ReasonRefused = "LoadBalancerRefused"
	// ReasonReplacing (Normal, or Warning when it is in state error): the load balancer is deleted and recreated.
	ReasonReplacing = "ReplacingLoadBalancer"
	// ReasonFamilyMissing (Warning): the Service prefers addresses of both families, and the cloud has them of one alone.
	ReasonFamilyMissing = "AddressFamilyMissing"
	// ReasonFamilyClosed (Warning): the source ranges exclude all clients of one of the Service's families.
	ReasonFamilyClosed = "AddressFamilyClosed"
	// ReasonFailover (Warning): the load balancer is in state error, and failed over because others use it, too.
	ReasonFailover = "FailingOverLoadBalancer"
	// ReasonNotFollowed (Warning): the Service asks for what concerns a whole load balancer that others decide upon.
	ReasonNotFollowed = "SettingNotFollowed"
	// ReasonTargetsLimited (Warning): there are more Nodes than the load balancer takes targets, and some are left out.
	ReasonTargetsLimited = "TargetsLimited"
	// ReasonTargetSkipped (Warning): a Node is not a target because its instance is gone.
	ReasonTargetSkipped = "TargetSkipped"
)

// EventSource is the component that the Events come from.
const EventSource = "simcloud-cloud-provider"

// Events reports to the users of Services. Before Initialize it does nothing.
type Events struct{ recorder record.EventRecorder }

// Start records to the cluster until stop closes.
func (e *Events) Start(kube kubernetes.Interface, stop <-chan struct{}) {
	broadcaster := record.NewBroadcaster()
	broadcaster.StartRecordingToSink(&typedv1.EventSinkImpl{Interface: kube.CoreV1().Events("")})
	e.RecordTo(broadcaster.NewRecorder(scheme.Scheme, v1.EventSource{Component: EventSource}))
	go func() {
		<-stop
		broadcaster.Shutdown()
	}()
}

// RecordTo has a recorder take the Events from now on.
func (e *Events) RecordTo(recorder record.EventRecorder) { e.recorder = recorder }

func (e *Events) normal(svc *v1.Service, reason, format string, args ...any) {
	e.emit(svc, v1.EventTypeNormal, reason, format, args...)
}

func (e *Events) warning(svc *v1.Service, reason, format string, args ...any) {
	e.emit(svc, v1.EventTypeWarning, reason, format, args...)
}

func (e *Events) emit(svc *v1.Service, kind, reason, format string, args ...any) {
	if e.recorder != nil {
		e.recorder.Eventf(svc, kind, reason, format, args...)
	}
}
