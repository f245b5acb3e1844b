#!/bin/sh
# Writes constraints.txt: every package of a fresh installation with its version, and nothing of where it came from.
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ".[dev,keyring,train]" hatchling editables
{
    echo "# Versions the project is tested with. Made by \`make constraints\`."
    "$folder/venv/bin/pip" list --disable-pip-version-check --format freeze --exclude pendtui --exclude pip --exclude setuptools
} >constraints.txt
