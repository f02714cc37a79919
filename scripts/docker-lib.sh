# What docker-up.sh and docker-down.sh share. The state of an engine that was
# started is where a restart of the machine removes it.
state=/run/simcloud-docker
data=${SIMCLOUD_DOCKER_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/simcloud/docker}

say() { printf 'docker: %s\n' "$*"; }
fail() {
  printf 'docker: %s\n' "$*" >&2
  exit 1
}

answers() { command -v docker >/dev/null && timeout 20 docker version >/dev/null 2>&1; }
engine_version() { docker version --format '{{.Server.Version}}'; }

links() { ip -oneline link | awk -F '[:@ ]+' '{print $2}'; }

# remember_network keeps what Docker changes in the host's network and does not
# change back. What an engine that crashed found is kept: its changes are still there.
remember_network() {
  [ ! -f "$state/ip_forward" ] || return 0
  mkdir -p "$state"
  links >"$state/links"
  cat /proc/sys/net/ipv4/ip_forward >"$state/ip_forward"
  for tables in iptables ip6tables; do
    ! command -v $tables >/dev/null || $tables -S FORWARD 2>/dev/null | awk '$1 == "-P" {print $3}' >"$state/$tables"
  done
}

# restore_network takes back what Docker left: its chains and rules, the default
# bridge, and those given. What others made meanwhile stays.
restore_network() {
  for link in docker0 "$@"; do
    grep -qx "$link" "$state/links" || ip link delete "$link" 2>/dev/null || true
  done
  for tables in iptables ip6tables; do
    ! command -v $tables >/dev/null || remove_rules $tables
  done
  cat "$state/ip_forward" >/proc/sys/net/ipv4/ip_forward
}

# restore_limits takes back the limits that were raised.
restore_limits() {
  local file value
  [ -f "$state/limits" ] || return 0
  while read -r file value; do [ ! -e "$file" ] || echo "$value" >"$file"; done <"$state/limits"
}

# remove_rules removes the rules that lead to Docker's chains, what is in these, and then them.
remove_rules() {
  local policy table rule chain
  policy=$(cat "$state/$1" 2>/dev/null) || true
  [ -z "$policy" ] || $1 -P FORWARD "$policy"
  for table in filter nat; do
    $1 -t $table -S 2>/dev/null | grep -E '^-A .*(-j DOCKER|-[io] (docker0|br-[0-9a-f]{12})( |$))' | grep -v '^-A DOCKER' |
      while read -r rule; do eval "$1 -t $table -D ${rule#-A }"; done || true
    for action in -F -X; do
      for chain in $($1 -t $table -S 2>/dev/null | awk '$1 == "-N" && $2 ~ /^DOCKER/ {print $2}'); do
        $1 -t $table $action "$chain" || true
      done
    done
  done
}
