#!/bin/sh
# Sets up .venv with the project and its pinned dependencies. Does nothing when it is up to date.
# Usage: tools/setup.sh [EXTRAS]   (default: dev)
set -eu
cd "$(dirname "$0")/.."
extras=${1:-dev}
stamp=.venv/.set-up-with-$extras
here=$(pwd -P)
# What the set-up depends on; the folder too, for an environment that was moved or copied does not work.
wanted="$here $(cat pyproject.toml constraints.txt tools/setup.sh | cksum)"
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
    exit 0
fi

refuse() {
    echo "pendtui: $1" >&2
    exit 2
}

python=${PYTHON:-python3}
command -v "$python" >/dev/null || refuse "needs Python 3.11 or later: install python3, or name one with PYTHON="
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    refuse "needs Python 3.11 or later, and $python is $("$python" --version); name another with PYTHON="

# Debian keeps what venv needs in a package of its own. Fetch it when we may, else say its name.
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    missing="$python cannot make a virtual environment: install $package (Debian's name for it), then run this again"
    command -v apt-get >/dev/null || refuse "$missing"
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif sudo -n true 2>/dev/null; then
        as_root="sudo -n"
    else
        refuse "$missing"
    fi
    echo "pendtui: installing $package with apt-get" >&2
    $as_root apt-get update -qq >/dev/null </dev/null || true # old lists may do
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y "$package" >/dev/null </dev/null ||
        refuse "$missing"
fi

rm -f "$stamp"
if ! .venv/bin/python -c 'import pip' 2>/dev/null || ! grep -qF "$here/.venv/bin/python" .venv/bin/pip; then
    echo "pendtui: making .venv" >&2
    "$python" -m venv --clear .venv
fi
echo "pendtui: installing the pinned packages" >&2
# PIP_CONSTRAINT pins the build backend as well, which an option would not.
PIP_CONSTRAINT="$here/constraints.txt" .venv/bin/python -m pip install \
    --quiet --disable-pip-version-check --editable ".[$extras]"
echo "$wanted" >"$stamp"
