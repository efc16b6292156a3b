#!/bin/sh
# A machine that has no links for us is a skip (77); a link that cannot be made for another reason is a failure (1). The
# command `ip` here makes no links, and says why as the kernel would.
here=$(cd "$(dirname "$0")" && pwd)
if [ "${1:-}" = inside ]; then
    . "$here/veth_netns.sh"
    veth_netns_or_skip "$0" inside
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/ip" <<'END'
#!/bin/sh
case "$*" in *"link add"*) echo "RTNETLINK answers: $ANSWER" >&2; exit 2 ;; esac
END
printf '#!/bin/sh\necho 0\n' >"$work/id"
chmod +x "$work/ip" "$work/id"
failed=0
answers() {  # TEXT-OF-THE-KERNEL STATUS
    status=0
    said=$(ANSWER=$1 PATH="$work:$PATH" VETH_NETNS_MODE=root "$0" inside 2>&1) || status=$?
    case "$status $said" in
    "$2 "*"$1"*) echo "ok: '$1' ends with $2" ;;
    *) echo "FAILED: '$1' ended with $status: $said"; failed=1 ;;
    esac
}
answers "Operation not supported" 77
answers "Operation not permitted" 77
answers "File exists" 1
answers "No buffer space available" 1
exit $failed
