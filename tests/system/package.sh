#!/bin/bash
# The Debian package in a Debian 12 that has nothing else, with systemd as its first process: installed, started, at work,
# upgraded while it runs, removed, purged. Arguments: the build directory, the folder of make_certs, one to keep the bare
# Debian in. It fetches packages and takes minutes: with BAYPLAN_FULL alone.
set -u
built=$1 support=$2 kept=$3
top=$(cd "$(dirname "$0")/../.." && pwd)
skip() { echo "skipped: $*"; exit 77; }
[ -n "${BAYPLAN_FULL:-}" ] || skip "only in a full run"
[ "$(id -u)" = 0 ] || skip "this needs root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
[ -e /sys/fs/cgroup/systemd ] || [ -e /sys/fs/cgroup/cgroup.procs ] || skip "systemd has no control groups here"
unshare --mount --pid --fork --uts --ipc --net true 2>/dev/null || skip "no namespaces here"

work=$(mktemp -d)
first=  # process of the bare Debian
finish() {
  status=$?
  [ -z "$first" ] || kill -KILL "$first" 2>/dev/null
  [ "$status" = 0 ] || [ "$status" = 77 ] || for log in "$work"/*.log; do echo "--- ${log##*/}"; tail -n 20 "$log"; done
  rm -rf "$work"
  exit $status
}
trap finish EXIT
fail() { echo "FAILED: $*"; exit 1; }
checked() { echo "checked: $*"; }
until_true() { # SECONDS COMMAND...
  local deadline=$(($(date +%s) + $1))
  shift
  until "$@"; do [ "$(date +%s)" -lt "$deadline" ] || fail "waited too long for: $*"; sleep 0.2; done
}

# --- two packages, of which the second is newer
"$top/tuning/package" --built "$built" --output "$work" >"$work/package.log" 2>&1 || fail "no package"
"$top/tuning/package" --built "$built" --output "$work" --revision 2 >>"$work/package.log" 2>&1 || fail "no second package"
first_package=$(ls "$work"/bayplan_*-1_*.deb) second_package=$(ls "$work"/bayplan_*-2_*.deb)

# --- the bare Debian; made once, with the packages that ours needs fetched by apt below
if [ ! -f "$kept/bare.tar" ]; then
  mkdir -p "$kept"
  debootstrap --variant=minbase bookworm "$work/bare" >"$work/debootstrap.log" 2>&1 ||
    skip "no Debian archive can be reached: $(tail -n 1 "$work/debootstrap.log")"
  tar -C "$work/bare" -cf "$kept/bare.tar.new" . && mv "$kept/bare.tar.new" "$kept/bare.tar"
else
  mkdir "$work/bare" && tar -C "$work/bare" -xf "$kept/bare.tar"
fi
root=$work/bare
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp "$first_package" "$second_package" "$root/root/"
[ ! -e "$root/lib/systemd/systemd" ] || fail "the Debian is not bare"

# Installed before anything runs, as into an image: no systemd is asked.
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
inside apt-get -qq update >"$work/apt.log" 2>&1 || skip "no Debian archive can be reached"
inside apt-get -qq install -y --no-install-recommends "/root/$(basename "$first_package")" >>"$work/apt.log" 2>&1 ||
  fail "not installed"
inside getent passwd bayplan >/dev/null || fail "there is no user bayplan"
mode=$(stat -c %a "$root/etc/bayplan/tls")
[ "$mode" = 750 ] || fail "the folder of the key has mode $mode"
inside baypland --version | grep -q '^baypland ' || fail "the daemon does not run: a library is missing"
inside bayplan version >/dev/null || fail "the command line does not run"
rating() {
  inside systemd-analyze security --offline=true bayplan.service |
    sed -n 's/.*exposure level for bayplan.service: \([0-9.]*\).*/\1/p'
}
below_2() { awk -v rating="$1" 'BEGIN { exit !(rating != "" && rating < 2.0) }'; }
alone=$(rating)
below_2 "$alone" || fail "systemd-analyze rates the unit '$alone'"
checked "installed with $(inside dpkg -l | grep -c ^ii) packages in all; the unit is rated $alone"

"$support/make_certs" "$work/certs" shim-a >/dev/null || fail "no certificates"
for file in server.pem server.key ca.pem; do install -m 0640 "$work/certs/$file" "$root/etc/bayplan/tls/$file"; done
inside sh -c 'chgrp bayplan /etc/bayplan/tls/*'
mkdir "$root/root/certs" && cp "$work"/certs/* "$root/root/certs/"
inside systemctl enable bayplan >/dev/null 2>&1 || fail "not enabled"

# --- it boots
cat >"$work/boot" <<'END'
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount -t proc proc "$1/proc"
mount -t sysfs -o ro sysfs "$1/sys"
mount -t tmpfs -o mode=755 tmpfs "$1/run"
mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"
mount --rbind /sys/fs/cgroup "$1/sys/fs/cgroup"
mount --rbind /dev "$1/dev"
cd "$1"
mkdir -p old
pivot_root . old  # a process that is only chrooted may have no users of its own
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  sh -c 'umount -l /old && exec /lib/systemd/systemd --unit=multi-user.target --show-status=0' <dev/null >dev/null 2>&1
END
unshare --mount --pid --fork --uts --ipc --net --cgroup --kill-child \
  bash "$work/boot" "$root" >"$work/boot.log" 2>&1 </dev/null &
boot=$!
booted() { first=$(pgrep -P "$boot" | head -n 1); [ -n "$first" ] && [ "$(cat "/proc/$first/comm" 2>/dev/null)" = systemd ]; }
until_true 30 booted
in_it() {
  nsenter -t "$first" -m -p -u -i -n -C -r -w -- \
    env LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
}
state() { in_it systemctl is-active bayplan 2>/dev/null; }
active() { [ "$(state)" = active ]; }
active_or_failed() { case $(state) in active | failed) ;; *) false ;; esac; }
until_true 60 active_or_failed
active || fail "it did not start: $(in_it journalctl -q -b --no-pager | grep -i baypl | tail -n 5)"
process() { in_it systemctl show -p MainPID --value bayplan; }
status_of_it() { in_it sed -n "s/^$1:[[:space:]]*//p" "/proc/$(process)/status"; }
uid=$(in_it id -u bayplan)
[ "$(status_of_it Uid | cut -f 1)" = "$uid" ] || fail "it runs as $(status_of_it Uid)"
for set in CapEff CapPrm CapBnd CapAmb; do
  [ "$(status_of_it $set)" = 0000000000000000 ] || fail "it has $set $(status_of_it $set)"
done
[ "$(status_of_it NoNewPrivs) $(status_of_it Seccomp)" = "1 2" ] || fail "privileges are not limited: $(status_of_it Seccomp)"
[ "$(in_it bayplan admin ready)" = ready ] || fail "it is not ready"
checked "started by systemd as the user bayplan ($uid), without a capability, with system calls limited; it says that it is ready"

load() { # PODS
  in_it bayplan load --connect 127.0.0.1:4433 --ca /root/certs/ca.pem --cert /root/certs/shim-a.pem \
    --key /root/certs/shim-a.key --nodes 50 --pods "$1" --json /root/load.json >"$work/load.log" 2>&1 ||
    fail "the load ended with $?"
}
placed() { sed -n 's/.*"placed": *\([0-9]*\).*/\1/p' "$root/root/load.json" | head -n 1; }
load 500
[ "$(placed)" = 500 ] || fail "placed $(placed) of 500 pods"
in_it systemctl reload bayplan || fail "not reloaded"
active || fail "the reload ended it"
checked "500 pods placed; a reload leaves it at work"

# --- a watchdog that hears nothing: systemd starts it anew
before=$(process)
in_it sh -c "kill -STOP $before"
restarted() { active && [ "$(process)" != "$before" ] && [ "$(process)" != 0 ]; }
until_true 120 restarted
checked "stopped by a signal, it is started anew by systemd's watchdog"

# --- a newer version, and a configuration that an operator has changed
echo '# changed here' >>"$root/etc/bayplan/baypland.yaml"
before=$(process)
in_it apt-get -qq install -y --no-install-recommends "/root/$(basename "$second_package")" >>"$work/apt.log" 2>&1 ||
  fail "not upgraded"
version=$(in_it dpkg-query -W -f '${Version}' bayplan)
[ "${version%-2}" != "$version" ] || fail "the version is $version"
[ "$(process)" != "$before" ] && active || fail "the upgrade did not restart it"
grep -q '^# changed here' "$root/etc/bayplan/baypland.yaml" || fail "the upgrade undid a change of the configuration"
load 600
[ "$(placed)" = 600 ] || fail "placed $(placed) of 600 pods"
checked "upgraded: restarted, the configuration as it was changed, 600 pods placed"

in_it apt-get -qq remove -y bayplan >>"$work/apt.log" 2>&1 || fail "not removed"
in_it sh -c 'grep -lx baypland /proc/[0-9]*/comm' >/dev/null 2>&1 && fail "it still runs"
[ ! -e "$root/usr/sbin/baypland" ] && [ -e "$root/etc/bayplan/tls/server.key" ] || fail "removed is not as it should be"
in_it apt-get -qq purge -y bayplan >>"$work/apt.log" 2>&1 || fail "not purged"
[ ! -e "$root/etc/bayplan" ] && [ ! -e "$root/var/lib/bayplan" ] || fail "a purge leaves files"
[ "$(in_it systemctl is-system-running)" = running ] || fail "systemd says $(in_it systemctl --failed --plain --no-legend)"
checked "removed, with certificates left; purged, with nothing left"
