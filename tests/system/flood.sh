#!/bin/sh
# Ten thousand handshakes begin at once from addresses that nobody has, five thousand packets of garbage among them,
# while a shim is at work: each of its pods is placed, everything that came has a counter, and nothing of it stays.
. "$(dirname "$0")/veth_sessions.sh"
flood_program=$5

# AddressSanitizer keeps what was freed in quarantine, up to 256 MB, which looks like memory that does not return: 50 MB
# more after a run, with a small quarantine 11. Nothing else reads this. Without a sanitizer 8 MB, about as many without a flood:
# the pods of the load.
export ASAN_OPTIONS="quarantine_size_mb=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

# sum STATUS NAMES...: of data plane counters.
sum() {
    status=$1
    shift
    total=0
    for name in "$@"; do total=$((total + $(counter "$status" "$name"))); done
    echo $total
}

start_dpdk_daemon daemon
until_true 10 test -s "$work/daemon.status"
mkfifo "$work/go"
# shellcheck disable=SC2086
$VETH_B "$flood_program" "$address" "$port" <>"$work/go" >"$work/flood.log" 2>&1 &
flood=$!
shims="$shims $flood"
until_true 60 log_says flood ready

veth_shim shim-a --nodes 1000 --pods 24000 --classes 20 --rate 3000 --settle 1s --journal "$work/journal"
until_true 60 journal_longer_than 20000
mbufs=$(counter daemon.status mbufs_in_use)
resident=$(field daemon.status resident_bytes)
echo go >"$work/go"
end_of "$flood"
[ "$ended" = 0 ] || fail "the flood ended with $ended"
kill -0 "$shim" 2>/dev/null || fail "the load was over before the flood was"
sent=$(sed -n 's/^sent //p' "$work/flood.log")
end_of "$shim"
[ "$ended" = 0 ] || fail "the load ended with $ended"
expect shim-a.json placed 24000
expect shim-a.json lost 0
expect shim-a.json duplicates 0
expect shim-a.json resumes 0
checked "24000 pods placed over one connection while $sent packets of nobody came"

# Half-open handshakes are given up after five seconds.
nothing_pending() { [ "$(counter daemon.status handshakes_pending)" = 0 ]; }
until_true 30 nothing_pending
newer_status daemon
attempts=$(counter daemon.status handshake_attempts)
lost_below=$(counter daemon.status kernel_rx_minus_port_rx)
[ "$attempts" -gt 0 ] && [ $((attempts + lost_below)) -ge 10000 ] || fail "$attempts attempts, $lost_below lost by af_packet"
[ "$sent" = 15000 ] || fail "only $sent packets could be sent"
[ "$attempts" = "$(sum daemon.status attempts_accepted attempts_retried attempts_refused attempts_lost)" ] ||
    fail "an attempt has no outcome"
[ "$(counter daemon.status attempts_accepted)" = "$(sum daemon.status handshakes_ok handshakes_refused)" ] ||
    fail "an accepted attempt has no end"
[ "$(counter daemon.status connections_open)" = 0 ] || fail "a stranger is still connected"
after=$(counter daemon.status mbufs_in_use)
[ "$after" -le $((mbufs + 64)) ] || fail "$mbufs buffers in use before, $after after"
grown=$(($(field daemon.status resident_bytes) - resident))
[ "$grown" -lt 33554432 ] || fail "the daemon has grown by $grown bytes"
checked "$attempts attempts ($(counter daemon.status attempts_accepted) accepted," \
    "$(counter daemon.status attempts_retried) Retry, $(counter daemon.status attempts_refused) refused," \
    "$(counter daemon.status attempts_lost) lost; $lost_below packets lost before the port)," \
    "buffers $mbufs -> $after, resident $((grown / 1024)) KB more"
stop_daemon
