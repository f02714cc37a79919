#!/usr/bin/env bash
# Makes sure that a Docker engine runs on this machine, for the kind clusters.
#
# An engine that answers is left as it is. Otherwise this installs what is
# missing (Debian's packages) and starts one: the service where systemd runs and
# the host lacks nothing, else dockerd by hand. Hosts that lack capabilities, as
# some virtual machines do, get the OCI wrapper e2e/kind/tools/ociwrap, without
# which privileged containers fail there. It may be run again at any time.
# scripts/docker-down.sh ends what this started, and nothing else.
#
# SIMCLOUD_DOCKER_DIR is where images and containers are kept, and the log
# (default: simcloud/docker in the user's cache folder). It must not be on an overlay file system, as that of a container is.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/docker-lib.sh

main() {
  if answers; then
    say "an engine answers already: Docker $(engine_version)"
    if lacks_capabilities && [ "$(docker info --format '{{.DefaultRuntime}}')" != simcloud ]; then
      say "warning: this host lacks capabilities and that engine has no OCI wrapper: it cannot run nodes; stop it and run this again"
    fi
    raise_limits
    return
  fi
  [ "$(id -u)" = 0 ] || fail "no engine answers, and only root can start one: run this as root, or start Docker yourself"
  [ "$(uname -s)" = Linux ] || fail "no engine answers, and this can start one on Linux only"
  install_missing
  remember_network
  if [ -d /run/systemd/system ] && ! lacks_capabilities; then
    start_service
  else
    start_by_hand
  fi
  raise_limits
  say "ready: Docker $(engine_version)"
}

# raise_limits lets systemd run in more than two nodes: each needs some of the
# host's inotify instances (kind's known issue "too many open files").
raise_limits() {
  raise_limit /proc/sys/fs/inotify/max_user_instances 1024
  raise_limit /proc/sys/fs/inotify/max_user_watches 524288
  raise_share
}

# raise_share gives all containers together as much of the cores as eight busy processes of the host have. By default they
# have as much as one: a compiler beside them starves them, and kubelets that live are taken for dead. The group is that
# of an engine that was started by hand, of cgroup v1 or v2; systemd has another.
raise_share() {
  local group=/sys/fs/cgroup/cpu/docker share=8192 knob=cpu.shares
  if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
    group=/sys/fs/cgroup/docker share=800 knob=cpu.weight
  fi
  [ -d "${group%/*}" ] && mkdir -p "$group" 2>/dev/null || return 0
  raise_limit "$group/$knob" "$share"
}

raise_limit() {
  local file=$1 now
  now=$(cat "$file" 2>/dev/null) || return 0
  [ "$now" -lt "$2" ] || return 0
  if ! mkdir -p "$state" 2>/dev/null || ! echo "$2" 2>/dev/null >"$file"; then
    say "warning: $file is $now, too little for several nodes: set it to $2"
    return
  fi
  say "$file is $2 now, and was $now"
  echo "$file $now" >>"$state/limits"
}

install_missing() {
  local packages=()
  command -v ip >/dev/null || packages+=(iproute2)
  command -v iptables >/dev/null || packages+=(iptables)
  command -v dockerd >/dev/null || packages+=(docker.io)
  [ ${#packages[@]} -eq 0 ] || install "${packages[@]}"
  # In newer Debians the command is a package of its own.
  command -v docker >/dev/null || install docker-cli
}

# install installs packages without starting what is in them: that comes later, with the right flags.
install() {
  local policy=/usr/sbin/policy-rc.d
  command -v apt-get >/dev/null || fail "missing: $*; this installs on Debian and its kin only: install Docker by hand"
  say "installing $*"
  if [ ! -e $policy ]; then
    printf '#!/bin/sh\nexit 101\n' >$policy
    chmod +x $policy
    trap "rm -f $policy" EXIT
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -qy --no-install-recommends "$@" >/dev/null 2>&1 && return
  apt-get update -q >/dev/null || fail "the package lists cannot be fetched"
  apt-get install -qy --no-install-recommends "$@" >/dev/null || fail "$* cannot be installed"
}

# lacks_capabilities compares this process's bounding set with all that the kernel knows.
lacks_capabilities() {
  local bounding last
  [ -r /proc/sys/kernel/cap_last_cap ] || return 1
  bounding=$(awk '$1 == "CapBnd:" {print $2}' /proc/self/status)
  last=$(cat /proc/sys/kernel/cap_last_cap)
  [ $((16#$bounding)) -ne $(((1 << (last + 1)) - 1)) ]
}

start_service() {
  say "starting the service docker"
  systemctl start docker || fail "the service does not start: see journalctl -u docker"
  echo service >"$state/kind"
  await_answer true
}

start_by_hand() {
  local flags=(--data-root "$data/root" --exec-root "$state/exec" --pidfile "$state/pid") pid
  command -v containerd >/dev/null || fail "there is no containerd: install the package containerd"
  mkdir -p "$data/root"
  case $(stat --file-system --format=%T "$data/root") in
    overlay*) fail "$data is on an overlay file system, as in a container, and Docker cannot keep images there: name a folder of a volume by SIMCLOUD_DOCKER_DIR" ;;
  esac
  if lacks_capabilities; then
    say "this host lacks capabilities: containers get the OCI wrapper"
    build_wrapper
    flags+=(--add-runtime "simcloud=$data/ociwrap" --default-runtime simcloud)
  fi
  say "starting dockerd; images and log in $data"
  setsid dockerd "${flags[@]}" </dev/null >"$data/dockerd.log" 2>&1 &
  pid=$!
  echo by-hand >"$state/kind"
  echo "$data" >"$state/data"
  await_answer kill -0 "$pid"
}

build_wrapper() {
  command -v go >/dev/null || fail "there is no go command to build the OCI wrapper with: install Go"
  mkdir -p "$data"
  CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$data/ociwrap.new" ./e2e/kind/tools/ociwrap
  mv "$data/ociwrap.new" "$data/ociwrap"
}

# await_answer waits until the engine answers, while the command given says that there is hope.
await_answer() {
  local deadline=$((SECONDS + 90))
  until answers; do
    if ! "$@" 2>/dev/null || [ "$SECONDS" -ge "$deadline" ]; then
      [ ! -f "$data/dockerd.log" ] || tail -n 20 "$data/dockerd.log" >&2
      fail "the engine does not answer"
    fi
    sleep 0.2
  done
}

main
