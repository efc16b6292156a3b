#!/bin/sh
# A shim in Python over aioquic, with the schema as its only input, is served as any other: over kernel UDP and
# through the DPDK port. It registers, states dictionary, nodes and an application, asks, takes allocations,
# acknowledges, loses its connection and resumes; and it serves a plugin.
# Arguments: BAYPLAND BAYPLAN MAKE_CERTS VETH_NETNS kernel|dpdk SCHEMA-DIRECTORY ENVIRONMENT-DIRECTORY
# Exit 77: PyPI cannot be reached, or namespaces are not allowed here.
. "$(dirname "$0")/foreign_client/environment.sh"
# Before the namespaces, which have no way out.
make_environment "$7" || { echo "skipped: $environment_fault"; exit 77; }
if [ "$5" = dpdk ]; then
    . "$(dirname "$0")/veth_sessions.sh"
    start_dpdk_daemon daemon
    shim_side=$VETH_B
else
    . "$(dirname "$0")/sessions.sh"
    start_daemon daemon
    address=127.0.0.1
    shim_side=
fi
generate_code "$6" "$work/generated" || fail "no Python code from the schema"

# shellcheck disable=SC2086
PYTHONPATH="$work/generated" $shim_side "$python" "$(dirname "$0")/foreign_client/shim.py" "$address" "$port" \
    --ca "$work/certs/ca.pem" --cert "$work/certs/shim-a.pem" --key "$work/certs/shim-a.key" \
    --nodes 50 --pods 1000 --cut-after 300 >"$work/shim.json" 2>"$work/shim.log" || fail "the foreign client ended with $?"
expect shim.json placed 1000
expect shim.json nodes_accepted 50
expect shim.json applications_accepted 1
expect shim.json doubled 0
expect shim.json not_applied 0
expect shim.json resyncs 1
expect shim.json resumes 1
# Equal pods on equal nodes, spread evenly by the least allocated: 20 on each.
uneven=$(python3 -c 'import collections, json, sys
counts = collections.Counter(json.load(open(sys.argv[1]))["places"].values())
print([item for item in counts.items() if item[1] != 20] or "none")' "$work/shim.json")
[ "$uneven" = none ] || fail "unevenly used nodes: $uneven"
checked "1000 pods placed for aioquic over the $5 port, 20 on each of 50 nodes, 1 cut resumed, every decision acknowledged"
stop_daemon
expect daemon.status placed 1000
expect daemon.status allocations 1000
replay_equals_the_live_run daemon

# A plugin in Python: its pods get nodes of even numbers alone.
if [ "$5" = dpdk ]; then start_dpdk_daemon plugin; else start_daemon plugin; fi
# shellcheck disable=SC2086
PYTHONPATH="$work/generated" $shim_side "$python" "$(dirname "$0")/foreign_client/shim.py" "$address" "$port" \
    --ca "$work/certs/ca.pem" --cert "$work/certs/shim-a.pem" --key "$work/certs/shim-a.key" \
    --nodes 20 --pods 200 --plugin even --cut-after 60 >"$work/plugin.json" 2>"$work/plugin.log" ||
    fail "the foreign plugin ended with $?"
expect plugin.json placed 200
expect plugin.json nodes_used 10
expect plugin.json doubled 0
expect plugin.json resumes 1
odd=$(python3 -c 'import json, sys
places = json.load(open(sys.argv[1]))["places"].values()
print([node for node in places if int(node.split("-")[1]) % 2] or "none")' "$work/plugin.json")
[ "$odd" = none ] || fail "pods on nodes that the plugin refuses: $odd"
answers=$(field plugin.json answers)
[ "$answers" -ge 200 ] || fail "only $answers queries were answered"
stop_daemon
replay_equals_the_live_run plugin
checked "a plugin of the Python client: $answers queries answered, 200 pods on the nodes that it lets them have, 1 cut resumed"

# Without a certificate of our authority it is turned away in the handshake.
if [ "$5" = dpdk ]; then start_dpdk_daemon second; else start_daemon second; fi
# shellcheck disable=SC2086
PYTHONPATH="$work/generated" $shim_side "$python" "$(dirname "$0")/foreign_client/shim.py" "$address" "$port" \
    --ca "$work/certs/ca.pem" --cert "$work/certs/other-client.pem" --key "$work/certs/other-client.key" \
    >"$work/stranger.json" 2>"$work/stranger.log" && fail "a stranger was served"
until_true 10 log_says second 'handshake refused'
checked "a stranger is refused: $(tail -n 1 "$work/stranger.log")"
stop_daemon
