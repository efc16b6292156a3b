#!/bin/sh
# A load with the daemon inside its process, over a DPDK ring pair, cut three times: what a host without
# namespaces and privileges can run.
. "$(dirname "$0")/sessions.sh"

make_config 4433
sed -i 's/port: kernel/port: dpdk/' "$work/daemon.yaml"
"$bayplan" load --port ring --daemon-config "$work/daemon.yaml" --json "$work/ring.json" --ca "$work/certs/ca.pem" \
    --cert "$work/certs/shim-a.pem" --key "$work/certs/shim-a.key" --nodes 500 --pods 5000 --classes 20 \
    --cut-after 1000 --cuts 3 --journal "$work/journal" >"$work/ring.log" 2>&1
ended=$?
[ "$ended" = 0 ] || fail "the load ended with $ended"
expect ring.json port ring
expect ring.json placed 5000
expect ring.json lost 0
expect ring.json duplicates 0
expect ring.json resumes 3
expect ring.json cores_include_shim True
packets=$(field ring.json rx_packets)
[ "$packets" -gt 100 ] || fail "the ring port received $packets packets"
checked "5000 pods placed over a ring port ($packets packets received), 3 cuts resumed, none lost or doubled"
