#!/bin/sh
# Sets up .venv with the project and its pinned dependencies. Does nothing when it is up to date.
# Usage: tools/setup.sh [EXTRAS]   (default: dev)
set -eu
cd "$(dirname "$0")/.."
extras=${1:-dev}
stamp=.venv/.set-up-with-$extras
if [ -f "$stamp" ] && [ -z "$(find pyproject.toml constraints.txt tools/setup.sh -newer "$stamp")" ]; then
    exit 0
fi

python=${PYTHON:-python3}
if ! command -v "$python" >/dev/null; then
    echo "pendtui needs Python 3.11 or later: install python3, or name one with PYTHON=" >&2
    exit 2
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "pendtui needs Python 3.11 or later; $python is $("$python" --version)" >&2
    exit 2
fi

# Debian keeps venv's pip in a package of its own. Fetch it when we may, else say its name.
if ! "$python" -c 'import ensurepip' 2>/dev/null; then
    package=python3-venv
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        DEBIAN_FRONTEND=noninteractive sh -c "apt-get update -qq && apt-get install -qq -y $package" >/dev/null
    elif command -v apt-get >/dev/null && sudo -n true 2>/dev/null; then
        sudo -n sh -c "apt-get update -qq && apt-get install -qq -y $package" >/dev/null
    else
        echo "Python's venv module has no pip here: install the package $package, then run this again" >&2
        exit 2
    fi
fi

[ -x .venv/bin/pip ] || "$python" -m venv .venv
# PIP_CONSTRAINT pins the build backend as well, which an option would not.
PIP_CONSTRAINT="$PWD/constraints.txt" .venv/bin/python -m pip install \
    --quiet --disable-pip-version-check --editable ".[$extras]"
touch "$stamp"
