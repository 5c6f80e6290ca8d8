#!/bin/bash
# Runs a command beside its own real Docker engine and takes everything away again.
#
#   tests/docker/with_engine.sh COMMAND [ARGUMENT ...]
#
# The command finds the engine's socket in DOCKER_SOCKET and a folder that the runtime may mount from in DOCKER_ALLOWED. With
# DOCKER_SOCKET set already, that engine is used. Otherwise a private dockerd is started (as root), and it and the command get
# separate namespaces: network (only there are its bridge, its firewall and the containers' ports), mounts and processes. So
# several engines run beside each other, the machine's own sees nothing of them, and any end of this program, even by
# SIGKILL, takes the engine, its containers, its mounts and its network along. DOCKERD is a program that starts the engine again,
# and $DOCKERD.pid holds its process id, for tests that end it.
#
# The image busybox:latest is made from this machine's static busybox, and the engine's way to registries leads nowhere, so that
# none is asked.
set -euo pipefail

busybox=$(command -v busybox) || { echo "busybox is missing (package busybox-static)" >&2; exit 2; }

# The engine's mounts and the containers' limits need these as this network and this process tree have them.
enter_namespaces() {
    mkdir "$work/cgroup"
    mount --rbind /sys/fs/cgroup "$work/cgroup"
    mount -t sysfs sysfs /sys
    mount --rbind "$work/cgroup" /sys/fs/cgroup
    umount -l "$work/cgroup"
    ip link set lo up
}

start_engine() {
    local nowhere=http://127.0.0.1:1
    mkdir -p "$work/data" "$work/exec"
    cat >"$DOCKERD" <<END
#!/bin/sh
export HTTP_PROXY=$nowhere HTTPS_PROXY=$nowhere NO_PROXY=169.254.170.2
exec dockerd --data-root "$work/data" --exec-root "$work/exec" -H "unix://$DOCKER_SOCKET" -p "$DOCKERD.pid" \\
    --cgroup-parent "/$name" --storage-driver overlay2 >>"$work/log" 2>&1
END
    chmod +x "$DOCKERD"
    "$DOCKERD" &
    daemon=$!
    until docker -H "unix://$DOCKER_SOCKET" version >/dev/null 2>&1; do
        kill -0 "$daemon" 2>/dev/null || { echo "dockerd ended:" >&2; tail -20 "$work/log" >&2; exit 2; }
        [ "$SECONDS" -lt 300 ] || { echo "dockerd does not answer:" >&2; tail -20 "$work/log" >&2; exit 2; }
        sleep 0.1
    done
}

# An image with only busybox and the names under which it is called.
import_image() {
    mkdir -p "$work/root/bin" "$work/root/tmp" "$work/allowed"
    cp "$busybox" "$work/root/bin/busybox"
    for applet in sh sleep echo cat true false env nc wget head tail dd id stat ls printf; do
        ln -s busybox "$work/root/bin/$applet"
    done
    tar -C "$work/root" -c . | docker -H "unix://$DOCKER_SOCKET" import - busybox:latest >/dev/null
}

# This program again, as the first process of the new namespaces.
if [ "${1:-}" = --inside ]; then
    shift
    work=$1 name=$(basename "$1")
    shift
    export DOCKER_SOCKET=$work/docker.sock DOCKER_ALLOWED=$work/allowed DOCKERD=$work/dockerd
    enter_namespaces
    start_engine
    import_image
    status=0
    "$@" || status=$?
    exit $status                             # and with the first process go all others
fi

work=$(mktemp -d /tmp/berth-docker-test-XXXXXX)
child=
clean() {
    if [ -n "$child" ]; then
        kill -KILL "$child" 2>/dev/null || true
        wait "$child" 2>/dev/null || true
    fi
    find /sys/fs/cgroup -depth -type d -path "*/$(basename "$work")*" -exec rmdir {} + 2>/dev/null || true
    rm -rf "$work" || true
}
trap clean EXIT

if [ -n "${DOCKER_SOCKET:-}" ]; then
    export DOCKER_ALLOWED=$work/allowed
    import_image
    "$@"
else
    setpriv --pdeathsig KILL unshare --net --mount --pid --fork --kill-child --mount-proc bash "$0" --inside "$work" "$@" <&0 &
    child=$!
    wait "$child"
fi
