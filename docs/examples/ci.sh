#!/bin/sh
# Tests a cloud controller manager in any CI: what it needs is Go and this file.
#
#   REPORT  the folder to keep; out
#   SHARD   which part of the scenarios, such as 2/3; 1/1, which is all
#   CCM     the command under test; docs/writing-a-provider.md says which placeholders it may have
set -eu

REPORT=${REPORT:-out}
SHARD=${SHARD:-1/1}
CCM=${CCM:-"bin/my-ccm --kubeconfig={kubeconfig} --cloud-config={cloud-config} --secure-port={secure-port}"}

if ! command -v simcloud >/dev/null; then
	go install "github.com/simcloud-dev/simcloud/cmd/simcloud@${SIMCLOUD_VERSION:-latest}"
	PATH=$(go env GOPATH)/bin:$PATH
fi
simcloud kube path >/dev/null # compiles Kubernetes where the cache, ~/.cache/simcloud, has none

code=0
simcloud test --ccm "$CCM" --shard "$SHARD" --report "$REPORT" || code=$?
case $code in
0) echo "all scenarios passed" ;;
1) echo "the CCM broke a promise: $REPORT/report.html shows which, and how to do it again" ;;
2) echo "a flag or a file cannot be used: nothing ran, or a scenario is invalid: see $REPORT/report.html" ;;
3) echo "this machine failed, not the CCM: $REPORT/logs has what there is" ;;
*) echo "ended from outside" ;;
esac
exit "$code"
