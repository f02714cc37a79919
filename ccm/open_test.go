package ccm

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// writeConfig writes a cloud config with the token beside it, and returns its path.
func writeConfig(t *testing.T, token, yaml string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"token": token, "cloud.yaml": yaml} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "cloud.yaml")
}

// connected is what a provider of this config has of the cloud.
func connected(t *testing.T, token, yaml string) (*client.Client, config.Config) {
	t.Helper()
	cfg, err := config.Load(writeConfig(t, token, yaml))
	if err != nil {
		t.Fatal(err)
	}
	api, err := connect(cfg, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(api.Close)
	return api, cfg
}

func TestCheck(t *testing.T) {
	t.Parallel()
	cloud, _ := simtest.Open(t)
	for _, c := range []struct{ name, token, yaml, key, want string }{
		{"good", cloud.Token(), "region: region-1\nnetwork: net-1\nrouteTable: rt-1\nproject: default\n", "", ""},
		{"wrong token", "wrong", "", "tokenFile", "the cloud refuses the token"},
		{"region", cloud.Token(), "region: region-9\n", "region", `"region-9" not found in the cloud (have region-1)`},
		{"network", cloud.Token(), "network: net-9\n", "network", `"net-9" not found in the cloud (have net-1)`},
		{"route table", cloud.Token(), "routeTable: rt-9\n", "routeTable", `"rt-9" not found in the cloud (have rt-1)`},
		{"project", cloud.Token(), "project: other\n", "project", `"other" is not the project of the token, which is "default"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			api, cfg := connected(t, c.token, "endpoint: "+cloud.URL()+"\ntokenFile: token\n"+c.yaml)
			err := config.Check(t.Context(), api, cfg)
			if c.key == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var mistake *config.Error
			if !errors.As(err, &mistake) || mistake.Key != c.key || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want one about %s: %s", err, c.key, c.want)
			}
		})
	}
}

// The cloud refuses a wrong path as an unknown operation, and waiting does not help.
func TestAWrongPathIsAMistake(t *testing.T) {
	t.Parallel()
	cloud, _ := simtest.Open(t)
	api, cfg := connected(t, cloud.Token(), "endpoint: "+cloud.URL()+"/v2\ntokenFile: token\n")
	err := config.Check(t.Context(), api, cfg)
	var mistake *config.Error
	if !errors.As(err, &mistake) || mistake.Key != "endpoint" || !strings.Contains(err.Error(), cloud.URL()+"/v2") {
		t.Errorf("got %v, want a mistake of endpoint", err)
	}
}

// A cloud that is down is no mistake of the config: it may be up in a moment.
func TestACloudThatIsDownIsNoMistake(t *testing.T) {
	t.Parallel()
	const url = "http://127.0.0.1:1" // a port that has just become free may be another test's
	api, cfg := connected(t, "token", "endpoint: "+url+"\ntokenFile: token\n")
	err := config.Check(t.Context(), api, cfg)
	var mistake *config.Error
	if errors.As(err, &mistake) || !errors.Is(err, simcloud.Unavailable) || !strings.Contains(err.Error(), "endpoint "+url) {
		t.Errorf("got %v, want Unavailable that names the endpoint", err)
	}
	provider := New(api, cfg, time.Now)
	node := namedNode("node-1")
	node.Spec.ProviderID = "simcloud://region-1/i-1"
	if exists, err := provider.instances.InstanceExists(t.Context(), node); err == nil {
		t.Errorf("InstanceExists = %v while the cloud is down; want an error", exists)
	}
}

func TestConnectNamesTheKey(t *testing.T) {
	t.Parallel()
	const yaml = "endpoint: http://127.0.0.1:1\ntokenFile: token\n"
	for _, c := range []struct{ name, token, yaml, key string }{
		{"no token", "t", "endpoint: http://127.0.0.1:1\ntokenFile: none\n", "tokenFile"},
		{"empty token", " \n", yaml, "tokenFile"},
		{"no CA", "t", yaml + "caFile: none\n", "caFile"},
	} {
		cfg, err := config.Load(writeConfig(t, c.token, c.yaml))
		if err != nil {
			t.Fatal(err)
		}
		var mistake *config.Error
		if _, err := connect(cfg, nil, nil); !errors.As(err, &mistake) || mistake.Key != c.key {
			t.Errorf("%s: got %v, want a mistake of %s", c.name, err, c.key)
		}
	}
}
