#!/bin/bash
# Runs commands beside a real Docker engine of their own and takes everything away again.
#
#   tests/docker/with_engine.sh COMMAND [ARGUMENT ...]
#
# The command finds the engine's socket in DOCKER_SOCKET and a folder that the runtime may mount from in DOCKER_ALLOWED. With
# DOCKER_SOCKET set already, that engine is used; otherwise a private dockerd is started in a temporary folder (as root): all it
# shares with an engine of this machine are the bridge docker0 and the rules of the firewall. The image busybox:latest is made
# from this machine's static busybox, and the engine's way to registries leads nowhere, so that none is asked.
set -euo pipefail

busybox=$(command -v busybox) || { echo "busybox is missing (package busybox-static)" >&2; exit 2; }
work=$(mktemp -d /tmp/berth-docker-test-XXXXXX)
daemon=
nowhere=http://127.0.0.1:1

clean() {
    if [ -n "$daemon" ]; then
        kill "$daemon" 2>/dev/null || true
        wait "$daemon" 2>/dev/null || true
    fi
    rm -rf "$work" || true
}
trap clean EXIT

if [ -z "${DOCKER_SOCKET:-}" ]; then
    DOCKER_SOCKET=$work/docker.sock
    mkdir -p "$work/data" "$work/exec"
    HTTP_PROXY=$nowhere HTTPS_PROXY=$nowhere dockerd --data-root "$work/data" --exec-root "$work/exec" -H "unix://$DOCKER_SOCKET" \
        -p "$work/pid" --storage-driver overlay2 >"$work/log" 2>&1 &
    daemon=$!
    until docker -H "unix://$DOCKER_SOCKET" version >/dev/null 2>&1; do
        kill -0 "$daemon" 2>/dev/null || { echo "dockerd ended:" >&2; tail -20 "$work/log" >&2; exit 2; }
        [ "$SECONDS" -lt 300 ] || { echo "dockerd does not answer:" >&2; tail -20 "$work/log" >&2; exit 2; }
        sleep 0.1
    done
fi
export DOCKER_SOCKET DOCKER_ALLOWED=$work/allowed

# An image with nothing but busybox and the names under which it is called.
mkdir -p "$work/root/bin" "$work/root/tmp" "$work/allowed"
cp "$busybox" "$work/root/bin/busybox"
for applet in sh sleep echo cat true false env nc wget head tail dd id stat ls printf; do
    ln -s busybox "$work/root/bin/$applet"
done
tar -C "$work/root" -c . | docker -H "unix://$DOCKER_SOCKET" import - busybox:latest >/dev/null

"$@"
