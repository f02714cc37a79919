#!/bin/sh
# Tests a cloud controller manager in any CI: what it needs is Go and this file.
#
#   REPORT  the folder to keep; out
#   SHARD   which part of the scenarios, such as 2/3; 1/1, which is all
#   CCM     the command under test; docs/testing-your-ccm.md lists the placeholders that it may have
#   CAPABILITIES    a file with what the CCM can do, as "simcloud conformance capabilities -o yaml" prints it; else everything
#   KNOWN_FAILURES  a file with the failures that are known; else none
set -eu

REPORT=${REPORT:-out}
SHARD=${SHARD:-1/1}
CCM=${CCM:-"CLOUD_URL={endpoint} CLOUD_TOKEN={token} bin/my-ccm --kubeconfig={kubeconfig} --secure-port={secure-port}"}

if ! command -v simcloud >/dev/null; then
	go install "github.com/simcloud-dev/simcloud/cmd/simcloud@${SIMCLOUD_VERSION:-latest}"
	PATH=$(go env GOPATH)/bin:$PATH
fi
simcloud kube path >/dev/null # compiles Kubernetes where the cache, ~/.cache/simcloud, has none

code=0
simcloud test --ccm "$CCM" ${CAPABILITIES:+--capabilities "$CAPABILITIES"} ${KNOWN_FAILURES:+--known-failures "$KNOWN_FAILURES"} \
	--shard "$SHARD" --report "$REPORT" || code=$?
case $code in
0) echo "all scenarios passed" ;;
1) echo "the CCM broke a promise: $REPORT/report.html shows which, and how to do it again" ;;
2) echo "a flag or a file cannot be used: nothing ran, or a scenario is invalid: see $REPORT/report.html" ;;
3) echo "this machine failed, not the CCM: $REPORT/logs has what there is" ;;
*) echo "ended from outside" ;;
esac
exit "$code"
