package core_test

import (
	"fmt"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// TestNewKeyAmongMany: a key is compared with those of its fingerprint, not with all there are.
func TestNewKeyAmongMany(t *testing.T) {
	cloud := open(t, core.Config{})
	made := 0
	create := func() {
		made++
		spec := simcloud.SSHKeySpec{Name: "k", PublicKey: fmt.Sprintf("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA%08d", 100*made)}
		must[simcloud.Result[simcloud.SSHKey]](t)(cloud.CreateSSHKey(t.Context(), spec))
	}
	few := testing.AllocsPerRun(20, create)
	for range 500 {
		create()
	}
	if many := testing.AllocsPerRun(20, create); many > 2*few {
		t.Errorf("a key takes %.0f allocations among few, %.0f among %d", few, many, made)
	}
}
