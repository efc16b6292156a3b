#!/bin/sh
# With `telemetry: yes` the daemon's DPDK answers on the socket that dpdk-telemetry.py asks, also once the daemon has no
# privileges and few system calls; the same packets are in its answer. Without it there is no such socket.
. "$(dirname "$0")/veth_sessions.sh"

eal() { printf '%s\n' --no-huge -m 256 --no-pci "--vdev=net_af_packet0,iface=$1"; }
export RUNTIME_DIRECTORY="$work/run"
mkdir "$RUNTIME_DIRECTORY"
socket() { find "$RUNTIME_DIRECTORY" -name 'dpdk_telemetry.v2*' -type s | head -n 1; }

ask() {
    python3 -c 'import json, socket, sys
there = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
there.connect(sys.argv[1])
there.recv(16384)
there.send(sys.argv[2].encode())
print(json.dumps(json.loads(there.recv(65536))))' "$(socket)" "$1"
}

start_dpdk_daemon silent
[ -z "$(socket)" ] || fail "there is a socket that nobody wanted: $(socket)"
stop_daemon
checked "no telemetry unless it is wanted"

link_settings='  telemetry: yes'
start_dpdk_daemon daemon
veth_shim shim-a --nodes 100 --pods 1000
end_of "$shim"
[ "$ended" = 0 ] || fail "the load ended with $ended"
statistics=$(ask /ethdev/stats,0) || fail "no answer"
packets=$(printf '%s' "$statistics" | sed -n 's/.*"ipackets": \([0-9]*\).*/\1/p')
[ "${packets:-0}" -gt 0 ] || fail "no packets in $statistics"
checked "telemetry tells $packets packets of a daemon without privileges"
stop_daemon
