#!/bin/sh
# A live run through the DPDK port, with priorities, releases and node loss, is replayed over every
# executor, number of workers, batch size, number of shards and depth: each decision log is equal, byte for
# byte, to that of the live run.
# Arguments: BAYPLAND BAYPLAN MAKE_CERTS SUPPORT_DIRECTORY. Exit 77: namespaces are not allowed here.
set -eu
baypland=$1
bayplan=$2
make_certs=$3
. "$4/veth_netns.sh"
veth_netns_or_skip "$0" "$@"

work=$(mktemp -d)
daemon=
finish() {
    status=$?
    [ -z "$daemon" ] || kill -KILL "$daemon" 2>/dev/null || :
    [ "$status" = 0 ] || tail -n 15 "$work/daemon.log" | cut -c 1-400
    veth_netns_cleanup
    rm -rf "$work"
    exit "$status"
}
trap finish EXIT
fail() { echo "FAILED: $*"; exit 1; }

"$make_certs" "$work/certs" shim-a >/dev/null
cat >"$work/daemon.yaml" <<CONFIG
rest_listen: off
partitions:
  - name: default
    shims: [shim-a]
    backoff_initial: 50ms
    backoff_max: 200ms
data_plane:
  port: dpdk
  device: net_af_packet0
  eal: ["--no-huge", "-m", "256", "--no-pci", "--no-telemetry", "--vdev=net_af_packet0,iface=$VETH_A_IF"]
  address: $VETH_A_IP
  udp_port: 4433
  tls: {certificate: certs/server.pem, key: certs/server.key, authority: certs/ca.pem}
CONFIG
$VETH_A "$baypland" --config "$work/daemon.yaml" --record "$work/record" --status "$work/status" >"$work/daemon.log" 2>&1 &
daemon=$!
tries=0
until grep -q 'msg="ready"' "$work/daemon.log"; do
    tries=$((tries + 1))
    [ "$tries" -lt 600 ] || fail "the daemon did not get ready"
    sleep 0.05
done

# 280 nodes, each of a machine type of its own and so in a block of its own: 16 blocks lie together in a shard, so that all of
# 16 shards have some. Too small for all pods, so that there are failures, wake-ups and backoff.
awk 'BEGIN {
    print "sn,cpu_milli,memory_mib,gpu,model"
    for (n = 0; n < 280; ++n) printf "node-%d,2000,8192,0,type-%d\n", n, n
}' >"$work/nodes.csv"
awk 'BEGIN {
    print "name,cpu_milli,memory_mib,num_gpu,gpu_milli"
    for (p = 0; p < 6000; ++p) printf "pod-%d,%d,%d,0,0\n", p, 60 + p % 40 * 2, 200 + p % 7 * 50
}' >"$work/pods.csv"
$VETH_B "$bayplan" load --connect "$VETH_A_IP:4433" --ca "$work/certs/ca.pem" --cert "$work/certs/shim-a.pem" \
    --key "$work/certs/shim-a.key" --openb "$work/nodes.csv" "$work/pods.csv" --priorities 5 --applications 3 \
    --churn 0.2 --release-after 100ms --nack 0.02 --nodes-lost 9 --settle 2s --json "$work/load.json" >"$work/load.log" 2>&1 ||
    { tail -20 "$work/load.log"; fail "the load ended with $?"; }
kill -TERM "$daemon"
ended=0
wait "$daemon" || ended=$?
daemon=
[ "$ended" = 0 ] || fail "the daemon ended with $ended"

field() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"; }
live=$(field "$work/status" digest)
[ "$(field "$work/load.json" lost)" = 0 ] || fail "the load lost asks"
"$bayplan" replay "$work/record" --log "$work/live.log" >"$work/replay.out" || fail "the record does not replay"
for kind in place fail release; do
    count=$(awk -v kind="$kind" '$3 == kind' "$work/live.log" | wc -l)
    [ "$count" -gt 0 ] || fail "the live run had no decision of kind $kind"
    echo "live run: $count of kind $kind"
done
[ "$(sha256sum <"$work/live.log" | cut -d' ' -f1)" = "$live" ] || fail "the log's SHA-256 is not the live digest $live"

runs=0
for executor in ${BAYPLAN_REPLAY_EXECUTORS:-inline threads tbb}; do
    for workers in 1 2 4; do
        for batch in 1 16 64 256; do
            for shards in 1 3 16; do
                for depth in 1 2; do
                    "$bayplan" replay "$work/record" --executor $executor --workers $workers --batch $batch \
                        --shards $shards --depth $depth --path graph --log "$work/again.log" >"$work/replay.out" ||
                        fail "replay with $executor, $workers workers, batch $batch, $shards shards, depth $depth"
                    cmp -s "$work/live.log" "$work/again.log" ||
                        fail "other decisions with $executor, $workers workers, batch $batch, $shards shards, depth $depth"
                    runs=$((runs + 1))
                done
            done
        done
    done
done
echo "checked: $runs replays of $(wc -l <"$work/live.log") decisions, each equal to the live run ($live)"
