package aws

import (
	"cmp"
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// Describe says what the dialect is and has.
func Describe() dialect.Dialect {
	d := dialect.Dialect{
		Name: name, Title: "AWS EC2 and Elastic Load Balancing", Path: "/" + name,
		IDs:        ids(),
		Credential: "X-Amz-Security-Token: {token}, or the access key id of the signature",
		CredentialFields: []dialect.CredentialField{
			{Name: "token", Value: "{token}"}, {Name: "key", Value: "simcloud"}, {Name: "secret", Value: "simcloud"},
		},
		Environment: []dialect.Variable{
			{Name: "AWS_ENDPOINT_URL", Value: "{endpoint}/" + name, Purpose: "the API of all services"},
			{Name: "AWS_REGION", Value: "region-1", Purpose: "a region of the cloud, as in the configuration: others are refused"},
			{Name: "AWS_ACCESS_KEY_ID", Value: "simcloud", Purpose: "any text: signatures are not checked"},
			{Name: "AWS_SECRET_ACCESS_KEY", Value: "simcloud", Purpose: "any text"},
			{Name: "AWS_SESSION_TOKEN", Value: "{token}", Purpose: "a token of the cloud, of the role writer or admin"},
			{Name: "AWS_EC2_METADATA_DISABLED", Value: "true", Purpose: "no look at the metadata service, which only a machine of AWS has"},
			{Name: "AWS_CONFIG_FILE", Value: "/dev/null", Purpose: "no settings of the user"},
			{Name: "AWS_SHARED_CREDENTIALS_FILE", Value: "/dev/null", Purpose: "no credentials of the user"},
		},
		Files: []dialect.File{{Name: "aws.conf", Purpose: "--cloud-config of aws-cloud-controller-manager", Content: configuration}},
	}
	d.Operations = append(d.Operations, dialect.Operation{
		Name: credentials.OperationName(getCredentials), Method: http.MethodGet, Path: credentialsPath, Standing: dialect.Derived,
	})
	for _, s := range services() {
		for _, o := range s.Operations {
			d.Operations = append(d.Operations, operation(s.OperationName(o.Name), o.Core, cmp.Or(o.Standing, dialect.Simulated)))
		}
		for _, action := range s.Unsupported {
			d.Operations = append(d.Operations, operation(s.OperationName(action), "", dialect.Unsupported))
		}
	}
	return d
}

func operation(action, core string, standing dialect.Standing) dialect.Operation {
	return dialect.Operation{Name: action, Method: http.MethodPost, Path: "/", Core: core, Standing: standing}
}

// configuration is what the CCM has as --cloud-config. It names nothing of the endpoint, so it is the same for all clouds.
const configuration = `[Global]
; The label topology.kubernetes.io/region.
Region = region-1
; With these three the CCM does not look for the machine that it runs on.
VPC = vpc-1
SubnetID = subnet-zone-a
KubernetesClusterID = ` + service.ClusterID + `
; The table of the routes to pods.
RouteTableID = rtb-1
NodeIPFamilies = ipv4
`
