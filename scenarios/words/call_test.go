package words

import "testing"

// TestCall: a call is named as its client knows it, and by the operation of the cloud only where the name does not tell it.
func TestCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, operation, want string }{
		{"CreateRoute", "CreateRoute", "CreateRoute"},
		{"aws:ec2:CreateRoute", "CreateRoute", "aws:ec2:CreateRoute"},
		{"aws:ec2:DescribeInstances", "ListInstances", "aws:ec2:DescribeInstances (ListInstances)"},
		{"aws:credentials:GetCredentials", "Unknown", "aws:credentials:GetCredentials"},
		{"", "CreateRoute", "CreateRoute"},
	} {
		if got := Call(c.name, c.operation); got != c.want {
			t.Errorf("%+v is called %q", c, got)
		}
	}
	if got := Shown("load_balancer/lb-1", "7"); got != "load_balancer/lb-1 (7)" {
		t.Error(got)
	}
	if got := Shown("load_balancer/lb-1", ""); got != "load_balancer/lb-1" {
		t.Error(got)
	}
}
