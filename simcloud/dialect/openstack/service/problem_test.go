package service_test

import (
	"errors"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// TestAttributes: an error names the attribute of the request, not the field of the cloud.
func TestAttributes(t *testing.T) {
	t.Parallel()
	s := service.Service{Codes: service.Codes{
		Fields:  map[string]string{"port": "protocol_port", "allowedCIDRs": "allowed_cidrs", "healthCheck.path": "url_path", "networks[0].address": "vip_address", "options": "attributes"},
		General: map[simcloud.Code]service.Code{simcloud.Invalid: {Status: 400}, simcloud.Internal: {Status: 500}},
	}}
	for field, want := range map[string]string{
		"port": "protocol_port", "listeners[0].port": "listeners[0].protocol_port", "allowedCIDRs[1]": "allowed_cidrs[1]", "listeners[2].allowedCIDRs[1]": "listeners[2].allowed_cidrs[1]",
		"healthCheck.path": "url_path", "networks[0].address": "vip_address", "options": "attributes", "options[insert-headers]": "insert_headers",
		"listeners[0].options[tags#1]": "listeners[0].tags", "other": "other",
	} {
		err := simcloud.InvalidFields("", []simcloud.FieldError{{Field: field, Detail: "is wrong"}})
		var e *simcloud.Error
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		got := s.Problem(edge.Problem{Err: e})
		if got.Message != want+": is wrong" || got.Status != 400 {
			t.Errorf("%s: got %d %q, want %q", field, got.Status, got.Message, want+": is wrong")
		}
	}
}

// TestInternalErrors: the cause of a defect is not told, that of a fault rule is.
func TestInternalErrors(t *testing.T) {
	t.Parallel()
	var s service.Service
	e := &simcloud.Error{Code: simcloud.Internal, Message: "disk full"}
	if got := s.Problem(edge.Problem{Err: e}).Message; got != "An internal error has occurred" {
		t.Errorf("a defect: %q", got)
	}
	if got := s.Problem(edge.Problem{Err: e, Injected: true}).Message; got != "disk full" {
		t.Errorf("a rule: %q", got)
	}
}
