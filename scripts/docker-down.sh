#!/usr/bin/env bash
# Ends the Docker engine that scripts/docker-up.sh started, and takes back what
# Docker changed in the host's network, and the limits that were raised. Images and containers stay on the disk
# for the next start. An engine that somebody else started is left alone.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/docker-lib.sh

main() {
  if [ ! -f "$state/kind" ]; then
    restore_limits
    rm -rf "$state"
    say "no engine was started by docker-up.sh: there is none to end"
    return
  fi
  local bridges
  [ "$(cat "$state/kind")" = service ] || revive
  bridges=$(engine_bridges)
  case $(cat "$state/kind") in
    service) stop_service ;;
    by-hand) stop_by_hand ;;
  esac
  # shellcheck disable=SC2086 # several words
  restore_network $bridges
  restore_limits
  rm -rf "$state"
  say "the engine has ended"
}

# engine_bridges are the links of the engine's networks, which outlive it.
engine_bridges() {
  answers || return 0
  docker network ls --quiet --filter driver=bridge | sed 's/^/br-/'
}

stop_service() {
  say "stopping the service docker"
  systemctl stop docker.socket docker
}

# revive starts an engine that crashed once more: only it can end its
# containers, and knows its networks.
revive() {
  ! runs || return 0
  say "the engine crashed: it has to start again to end its containers"
  SIMCLOUD_DOCKER_DIR=$(cat "$state/data") scripts/docker-up.sh
}

stop_by_hand() {
  local pid deadline=$((SECONDS + 60))
  pid=$(cat "$state/pid")
  say "stopping dockerd, process $pid"
  kill "$pid"
  while kill -0 "$pid" 2>/dev/null; do
    [ "$SECONDS" -lt "$deadline" ] || fail "dockerd does not end: process $pid"
    sleep 0.2
  done
  umount_rest
}

# runs tells whether the process whose number was kept is still that engine.
runs() { [ -f "$state/pid" ] && grep -qaz -- "$state/exec" "/proc/$(cat "$state/pid")/cmdline" 2>/dev/null; }

# umount_rest unmounts what containers that did not end in order have left.
umount_rest() {
  local dir data
  data=$(cat "$state/data")
  awk -v a="$data/root/" -v b="$state/exec/" 'index($2, a) == 1 || index($2, b) == 1 {print $2}' /proc/mounts | sort -r |
    while read -r dir; do umount "$dir" 2>/dev/null || true; done
}

main
