#!/bin/sh
# `baypland --check` tries what a start would: certificates and keys, addresses, ports, files, the user; and says all of it
# at once. And the sample of a configuration has every setting.
. "$(dirname "$0")/sessions.sh"
source_root=$(cd "$(dirname "$0")/../.." && pwd)
certs=$work/certs

# config [CERTIFICATE] [MORE...]: as a daemon has it that could start; lines of MORE at its end.
config() {
    certificate=${1:-$certs/server}
    [ $# -gt 0 ] && shift
    cat >"$work/check.yaml" <<CONFIG
rest_listen: ${rest:-off}
partitions:
  - name: default
    shims: [shim-*]
data_plane:
${plane:-  address: 127.0.0.1
  udp_port: 0}
  tls: {certificate: $certificate.pem, key: ${key:-$certificate.key}, authority: $certs/ca.pem}
CONFIG
    for line; do echo "$line" >>"$work/check.yaml"; done
}

says() { check_says check.yaml "$@"; }

config
says 0 'no faults'
config "" 'stop_within: soon'
says 2 "'stop_within' is 'soon'"
checked "a sound configuration passes, a faulty one is wrong input"

key=$certs/shim-a.key
config
says 1 'data_plane: certificate .* with key .*shim-a.key'
key=
config "$certs/other-server"
says 1 "is not signed by our CA"
config "$certs/shim-a"
says 1 "is not for use by a server"
plane='  address: 127.0.0.7
  udp_port: 0'
config
says 0 "warning: .*is not for 127.0.0.7"
plane=
cp "$certs/server.pem" "$work/open.pem"
cp "$certs/server.key" "$work/open.key"
chmod 0644 "$work/open.key"
config "$work/open"
says 0 "warning: .*'$work/open.key' is open to others"
checked "keys that do not match, another authority, another use, another address, a key that is open to all"

# days FILE FROM TO: the daemon's certificate, valid between these days from now.
days() {
    printf 'cn = bayplan-server\nip_address = 127.0.0.1\ntls_www_server\nsigning_key\n' >"$work/template"
    printf 'activation_date = "%s"\nexpiration_date = "%s"\n' \
        "$(date -u -d "$2 days" +%Y-%m-%d)" "$(date -u -d "$3 days" +%Y-%m-%d)" >>"$work/template"
    cp "$certs/server.key" "$1.key"
    certtool --generate-certificate --template "$work/template" --load-privkey "$1.key" --outfile "$1.pem" \
        --load-ca-certificate "$certs/ca.pem" --load-ca-privkey "$certs/ca.key" >"$work/certtool.log" 2>&1 ||
        fail "no certificate: $(cat "$work/certtool.log")"
}
days "$work/ended" -20 -10
config "$work/ended"
says 1 "ended.pem' ended 1[01] days ago"
days "$work/begins" 10 20
config "$work/begins"
says 1 "begins.pem' begins in 9 days"
days "$work/soon" -1 10
config "$work/soon"
says 0 "warning: .*soon.pem' ends in 9 days" 'no faults'
checked "certificates that have ended, have not begun, end soon"

start_daemon daemon
plane="  address: 127.0.0.1
  udp_port: $port"
config
says 0 "warning: data_plane: .*Address already in use.*it must be free when the daemon starts"
stop_daemon
plane='  address: 192.0.2.77
  udp_port: 0'
config
says 1 'data_plane: .*192.0.2.77'
plane='  port: dpdk
  address: 10.99.0.2
  eal: [--no-huge, --no-pci, "--vdev=net_af_packet0,iface=nowhere0"]'
config
says 1 "there is no interface 'nowhere0'"
plane='  port: dpdk
  address: 10.99.0.2
  device: "ffff:ff:1f.7"'
config
says 1 "there is no PCI device 'ffff:ff:1f.7'"
plane=
rest=192.0.2.77:9080
config
says 1 'rest_listen: .*192.0.2.77'
rest=
checked "a port in use, addresses of other hosts, interfaces and devices that there are not"

config "" "record: $work/no/such/record" "flight_recorder: $work/no/such/flight"
says 2 "'record': cannot write into $work/no/such" "'flight_recorder': cannot write into $work/no/such"
mkdir "$work/folder"
config "" 'privileges: {user: nobody-here}' "flight_recorder: $work/folder"
says 1 "privileges: there is no user 'nobody-here'" "flight_recorder: '$work/folder' is a folder"
printf 'partitions:\n- name: default\n  queues:\n  - name: root\n    queues:\n    - name: a b\n' >"$work/queues.yaml"
config
sed -i "s|^    shims:.*|&\n    queues_file: $work/queues.yaml|" "$work/check.yaml"
says 1 'queues_file: .*queues.yaml:6:'
checked "files that cannot be written, a user that there is not, faulty queues: all at once"

"$source_root/tuning/make_sample" "$baypland" >"$work/sample.yaml" || fail "no sample"
cmp "$work/sample.yaml" "$source_root/tuning/debian/every-setting.yaml" ||
    fail "every-setting.yaml is not that of this baypland: tuning/make_sample BAYPLAND > tuning/debian/every-setting.yaml"
sed "s|/etc/bayplan/tls|$certs|; s|9080|0|; s|4433|0|" "$work/sample.yaml" >"$work/check.yaml"
says 0 'no faults'
checked "the sample has every setting, and a daemon could start with it"
for option in --help --version --help-config; do
    "$baypland" $option >"$work/option.out" || fail "baypland $option ended with $?"
done
"$baypland" --help | tr '\n' ' ' | grep -q 'Exit status: 0 .* 1 .* 2 ' || fail "baypland --help does not say how it ends"
checked "baypland says how it ends"
