# A Python environment for the foreign client (sourced): $python with aioquic and flatbuffers, in a directory
# that is kept from run to run. Needs the ordinary PyPI the first time; where it cannot be had,
# environment_fault says why in a line.
make_environment() {
    requirements=$(dirname "$0")/foreign_client/requirements.txt
    python=$1/bin/python
    environment_fault=
    mkdir -p "$1"
    (
        flock 9
        cmp -s "$requirements" "$1/installed" && exit 0
        python3 -m venv "$1" && "$python" -m pip install --quiet --disable-pip-version-check --retries 1 \
            --timeout 20 -r "$requirements" && cp "$requirements" "$1/installed"
    ) 9>"$1/lock" >"$1/install.log" 2>&1 || {
        environment_fault="aioquic and flatbuffers cannot be installed from PyPI: $(tail -n 1 "$1/install.log")"
        return 1
    }
}

# generate_code SCHEMA-DIRECTORY OUTPUT-DIRECTORY. (Not --gen-all: flatc 2.0.8 leaves imports out then.)
generate_code() { flatc --python --gen-object-api -o "$2" "$1"/*.fbs; }
