# Common to the session tests (sourced): a daemon and shims as real programs over kernel UDP on loopback.
# Arguments of every such test: BAYPLAND BAYPLAN MAKE_CERTS. Each prints what it checked; a failed check
# ends it with 1.
set -u

baypland=$1
bayplan=$2
make_certs=$3
work=$(mktemp -d)
daemon=
shims=
after_finish=:  # what the test wants done at its end

finish() {
    status=$?
    for process in $daemon $shims; do
        kill -KILL "$process" 2>/dev/null
        wait "$process" 2>/dev/null
    done
    if [ "$status" != 0 ] && [ "$status" != 77 ]; then
        for log in "$work"/*.log; do
            echo "--- ${log##*/} (end)"
            tail -n 15 "$log" | cut -c 1-400
        done
    fi
    rm -rf "$work"
    $after_finish
    exit "$status"
}
trap finish EXIT

fail() {
    echo "FAILED: $*"
    exit 1
}

checked() { echo "checked: $*"; }

# until_true SECONDS COMMAND...: polls a condition; fails the test at the deadline.
until_true() {
    deadline=$(($(date +%s) + $1))
    shift
    until "$@"; do
        [ "$(date +%s)" -lt "$deadline" ] || fail "waited too long for: $*"
        sleep 0.02
    done
}

"$make_certs" "$work/certs" shim-a shim-b outsider >/dev/null || fail "no certificates"

# make_config PORT: $rest_listen, $profile_settings, $partition_settings and $plane_settings are added, if the test sets them.
rest_listen=off
profile_settings=
partition_settings=
plane_settings=
make_config() {
    cat >"$work/daemon.yaml" <<CONFIG
$profile_settings
rest_listen: $rest_listen
partitions:
  - name: default
    shims: [shim-a, shim-b]
    shim_rights: [{shim: "shim-*", priority_max: 2147483647, force: yes, change: yes}]
$partition_settings
data_plane:
  port: kernel
  address: 127.0.0.1
  udp_port: $1
  tls:
    certificate: certs/server.pem
    key: certs/server.key
    authority: certs/ca.pem
$plane_settings
CONFIG
}

log_says() { grep -q -- "$2" "$work/$1.log" 2>/dev/null; }

# start_daemon NAME: log NAME.log, record NAME.record, status NAME.status. The first start takes any free
# port, later ones the same again.
port=0
start_daemon() {
    make_config "$port"
    "$baypland" --config "$work/daemon.yaml" --record "$work/$1.record" --status "$work/$1.status" \
        >"$work/$1.log" 2>&1 &
    daemon=$!
    daemon_name=$1
    until_true 20 log_says "$1" 'msg="ready"'
    port=$(sed -n 's/.*msg="port open".* udp_port=\([0-9]*\).*/\1/p' "$work/$1.log" | head -n 1)
    [ -n "$port" ] || fail "no port in the log of the daemon"
}

# An orderly end; the log, record and status are complete afterwards.
stop_daemon() {
    kill -TERM "$daemon"
    ended=0
    wait "$daemon" || ended=$?
    daemon=
    [ "$ended" = 0 ] || fail "the daemon ended with $ended"
}

kill_daemon() {
    kill -KILL "$daemon"
    wait "$daemon" 2>/dev/null
    daemon=
}

# shim NAME LOAD-ARGUMENTS...: a load as shim NAME in the background, pid in $shim; NAME.log, NAME.json.
shim() {
    name=$1
    shift
    "$bayplan" load --connect "127.0.0.1:$port" --ca "$work/certs/ca.pem" --cert "$work/certs/$name.pem" \
        --key "$work/certs/$name.key" --json "$work/$name.json" "$@" >"$work/$name.log" 2>&1 &
    shim=$!
    shims="$shims $shim"
}

# end_of PID: its exit code, in $ended.
end_of() {
    ended=0
    wait "$1" 2>/dev/null || ended=$?
}

# field FILE NAME: a field of a JSON object.
field() {
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$work/$1" "$2"
}

# expect FILE NAME VALUE
expect() {
    value=$(field "$1" "$2") || fail "$1 has no field $2"
    [ "$value" = "$3" ] || fail "$1: $2 is $value, not $3"
}

# newer_status NAME: waits for a status that was begun after the call; the first one that differs may have been under way.
newer_status() {
    for _ in 1 2; do
        known=$(field "$1.status" uptime_ms)
        until_true 30 differs "$1.status" uptime_ms "$known"
    done
}
differs() { [ "$(field "$1" "$2")" != "$3" ]; }

journal_longer_than() { [ -f "$work/journal" ] && [ "$(wc -c <"$work/journal")" -gt "$1" ]; }

# replay NAME: decision log NAME.decisions and inputs NAME.inputs of a record; its digest in $digest.
replay() {
    "$bayplan" replay "$work/$1.record" --log "$work/$1.decisions" --inputs "$work/$1.inputs" \
        >"$work/$1.replay.log" 2>&1
    ended=$?
    digest=$(sed -n 's/^digest *//p' "$work/$1.replay.log")
}

replay_equals_the_live_run() {
    replay "$1"
    [ "$ended" = 0 ] || fail "the replay of $1 ended with $ended"
    expect "$1.status" digest "$digest"
    checked "the record of $1 replays to the digest of the live run, $digest"
}

# keys_placed NAME: the keys placed in a decision log, in order.
keys_placed() { awk '$3 == "place" {print $4}' "$work/$1.decisions"; }

# check_says FILE STATUS TEXT...: how `baypland --check` of a configuration ends, and what it says.
check_says() {
    checked_file=$1
    wanted=$2
    shift 2
    ended=0
    "$baypland" --check --config "$work/$checked_file" >"$work/check.out" 2>&1 || ended=$?
    [ "$ended" = "$wanted" ] || fail "the check ended with $ended, not $wanted: $(cat "$work/check.out")"
    for text; do
        grep -q -- "$text" "$work/check.out" || fail "the check does not say '$text': $(cat "$work/check.out")"
    done
}
