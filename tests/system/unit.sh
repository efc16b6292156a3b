#!/bin/sh
# The systemd unit, alone and with what a DPDK port needs besides: sound, and rated below 2.0 by systemd-analyze security.
# Argument: the folder of the unit.
set -u
units=$1
command -v systemd-analyze >/dev/null || { echo "skipped: systemd-analyze is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
rating() {
    systemd-analyze security --offline=true "$work/bayplan.service" 2>/dev/null |
        sed -n 's/.*exposure level for bayplan.service: \([0-9.]*\).*/\1/p'
}
below_2() { awk -v rating="$1" 'BEGIN { exit !(rating != "" && rating < 2.0) }'; }

cp "$units/bayplan.service" "$work/"
# The programs are not installed here; everything else that it complains of is a fault.
systemd-analyze verify "$work/bayplan.service" 2>&1 | grep 'bayplan.service' | grep -v 'is not executable' >"$work/faults"
[ ! -s "$work/faults" ] || fail "$(cat "$work/faults")"
alone=$(rating)
below_2 "$alone" || fail "systemd-analyze rates the unit '$alone'"
mkdir "$work/bayplan.service.d"
for port in af-packet vfio; do
    cp "$units/$port.conf" "$work/bayplan.service.d/port.conf"
    with_port=$(rating)
    below_2 "$with_port" || fail "with $port.conf it is rated '$with_port'"
    echo "checked: the unit is rated $alone, with $port.conf $with_port"
done
