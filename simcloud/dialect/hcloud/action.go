package hcloud

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// action is an operation of the cloud.
type action struct {
	ID        int64        `json:"id"`
	Command   string       `json:"command"`
	Status    string       `json:"status"`
	Progress  int          `json:"progress"`
	Started   time.Time    `json:"started"`
	Finished  *time.Time   `json:"finished"`
	Error     *actionError `json:"error"`
	Resources []subject    `json:"resources"`
}

type actionError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// subject is a resource that an action is about.
type subject struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
}

// The states of an action.
const (
	actionRunning = "running"
	actionSuccess = "success"
	actionFailed  = "error"
)

// commands are the actions that the operations of the cloud are, whoever began them.
var commands = map[string]string{
	"CreateInstance": "create_server", "DeleteInstance": "delete_server", "StartInstance": "start_server",
	"StopInstance": "stop_server", "RebootInstance": "reboot_server", "RebuildInstance": "rebuild_server",
	"CreateNetwork": "create_network", "UpdateInstance": "update_server", "UpdateNetwork": "update_network", "MigrateInstance": "migrate_server", "ResizeInstance": "change_server_type",
	"CreateLoadBalancer": "create_load_balancer", "DeleteLoadBalancer": "delete_load_balancer",
	"UpdateLoadBalancer": "update_load_balancer", "CreateListener": "add_service", "UpdateListener": "update_service",
	"DeleteListener": "delete_service", "CreateTarget": "add_target", "DeleteTarget": "remove_target",
	"AttachLoadBalancerNetwork": "attach_to_network", "DetachLoadBalancerNetwork": "detach_from_network",
	"AttachInstanceNetwork": "attach_to_network", "DetachInstanceNetwork": "detach_from_network",
	"CreateRoute": "add_route", "DeleteRoute": "delete_route", "CreateSubnet": "add_subnet", "DeleteSubnet": "delete_subnet",
	"CreateDocument": "create_certificate", "UpdateDocument": "issue_certificate", "DeleteDocument": "delete_certificate",
}

func actionOf(op simcloud.Operation, command string, of ...subject) action {
	a := action{
		ID: numberOf(op.ID), Command: command, Progress: op.Progress, Started: op.Started, Resources: append([]subject{}, of...),
	}
	if !op.Finished.IsZero() {
		a.Finished = &op.Finished
	}
	switch op.State {
	case simcloud.OperationPending, simcloud.OperationRunning:
		a.Status = actionRunning
	case simcloud.OperationDone:
		a.Status, a.Progress = actionSuccess, 100
	case simcloud.OperationFailed, simcloud.OperationCancelled:
		a.Status, a.Error = actionFailed, &actionError{failureCode(op.Code), op.Error}
	}
	return a
}

// failureCode is the code of an action that has failed: that of the failure, if Hetzner has one.
func failureCode(code simcloud.Code) string {
	if code == simcloud.Internal {
		return "action_failed"
	}
	return cmp.Or(codes[code], "action_failed")
}

// subjectsOf are the resources that an operation of the cloud is about, as far as Hetzner has them.
func (c call) subjectsOf(ctx context.Context, op simcloud.Operation) ([]subject, error) {
	of := op.Resource
	switch of.Kind {
	case simcloud.KindInstance:
		return []subject{serverSubject(of.ID)}, nil
	case simcloud.KindLoadBalancer:
		return []subject{loadBalancerSubject(of.ID)}, nil
	case simcloud.KindNetwork:
		return []subject{networkSubject(of.ID)}, nil
	case simcloud.KindDocument:
		return []subject{certificateSubject(of.ID)}, nil
	case simcloud.KindRouteTable:
		routes, err := c.cloud.GetRouteTable(ctx, of.ID)
		return networkOr(routes.Network, err)
	case simcloud.KindSubnet:
		subnet, err := c.cloud.GetSubnet(ctx, of.ID)
		return networkOr(subnet.Network, err)
	default:
		return nil, nil
	}
}

// networkOr is the network as what an action is about; nothing when it is not found.
func networkOr(network simcloud.ID, err error) ([]subject, error) {
	switch {
	case simcloud.CodeOf(err) == simcloud.NotFound:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return []subject{networkSubject(network)}, nil
}

func serverSubject(id simcloud.ID) subject       { return subject{numberOf(id), "server"} }
func loadBalancerSubject(id simcloud.ID) subject { return subject{numberOf(id), "load_balancer"} }
func networkSubject(id simcloud.ID) subject      { return subject{numberOf(id), "network"} }
func certificateSubject(id simcloud.ID) subject  { return subject{numberOf(id), "certificate"} }

// acted is the answer to a call that has begun an action.
func (c call) acted(op simcloud.Operation, of ...subject) edge.Reply {
	reply := answered(201, "action", actionOf(op, c.command, of...))
	reply.Operation = op.ID
	return reply
}

// maxActions is how many actions a list may name.
const maxActions = 50

func (c call) listActions() (edge.Reply, error) {
	ids, err := c.actionIDs()
	if err != nil {
		return edge.Reply{}, err
	}
	var actions []action
	for _, id := range ids {
		a, err := c.action(id)
		switch {
		case simcloud.CodeOf(err) == simcloud.NotFound:
			continue
		case err != nil:
			return edge.Reply{}, err
		}
		actions = append(actions, a)
	}
	return c.pageOfActions(actions)
}

// actionIDs reads the ids of a list, which has to name some.
func (c call) actionIDs() ([]simcloud.ID, error) {
	var ids []simcloud.ID
	for _, text := range c.r.URL.Query()["id"] {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return nil, wrong("id", "%q is not the id of an action", text)
		}
		ids = append(ids, idOf(operationPrefix, n))
	}
	switch {
	case len(ids) == 0:
		return nil, refuse(simcloud.Invalid, codeDeprecated, "a list of all actions is not available any more: name their ids")
	case len(ids) > maxActions:
		return nil, wrong("id", "%d ids are too many: at most %d", len(ids), maxActions)
	}
	return ids, nil
}

func actionOrders() map[string]order[action] {
	return map[string]order[action]{
		"id":       func(a, b action) int { return int(a.ID - b.ID) },
		"command":  func(a, b action) int { return strings.Compare(a.Command, b.Command) },
		"status":   func(a, b action) int { return strings.Compare(a.Status, b.Status) },
		"started":  func(a, b action) int { return a.Started.Compare(b.Started) },
		"finished": func(a, b action) int { return finishedOf(a).Compare(finishedOf(b)) },
	}
}

func finishedOf(a action) time.Time {
	if a.Finished == nil {
		return time.Time{}
	}
	return *a.Finished
}

func (c call) getAction() (edge.Reply, error) {
	a, err := c.action(c.id)
	return answered(200, "action", a), err
}

// action reads one action.
func (c call) action(id simcloud.ID) (action, error) {
	op, err := c.cloud.GetOperation(c.ctx(), id)
	if err != nil {
		return action{}, err
	}
	return c.actionFor(c.ctx(), op)
}

// actionFor is an operation of the cloud as an action, whoever began it.
func (c call) actionFor(ctx context.Context, op simcloud.Operation) (action, error) {
	of, err := c.subjectsOf(ctx, op)
	if err != nil {
		return action{}, err
	}
	command, known := commands[op.Verb]
	if !known {
		command = strings.ToLower(op.Verb)
	}
	a := actionOf(op, command, of...)
	if op.Resource.Kind == simcloud.KindDocument {
		return c.judged(ctx, a, op.Resource.ID)
	}
	return a, nil
}
