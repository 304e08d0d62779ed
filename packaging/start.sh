#!/bin/sh
# Sets Loomapp up beside this file and starts it.
#
#   sh packaging/start.sh run  [argument of loomapp …]   the window; without a screen the demo
#   sh packaging/start.sh test [argument of pytest …]    the tests, shared out among the cores (-n 0: one by one)
#   sh packaging/start.sh setup                          only what the tests need; prints the Python to use
#
# PYTHON names another interpreter (3.11 or later); each version gets an environment of its own.
# LOOMAPP_MODEL_DIR names a folder for the local model, in place of the user's data folder.
# Exit status: 2 wrong usage, 3 something that the system must provide is missing.
set -eu

folder=$(cd "$(dirname "$0")/.." && pwd -P)
constraints=$folder/packaging/constraints.txt
unset PYTHONHOME PYTHONPATH PYTHONSTARTUP PYTHONDONTWRITEBYTECODE 2>/dev/null || :

say() { printf '%s\n' "$*" >&2; }

fail() {
    status=$1
    shift
    say "$*"
    exit "$status"
}

# --- what the system must provide -------------------------------------------------------------

new_enough='import sys; sys.exit(sys.version_info < (3, 11))'

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        set -- "$PYTHON"
    else
        set -- python3 python3.13 python3.12 python3.11
    fi
    for candidate; do
        if "$candidate" -c "$new_enough" >/dev/null 2>&1; then
            command -v "$candidate"
            return
        fi
    done
}

# One call that answers everything: the version, the Debian packages that are missing, and whether
# there is a screen.
look='
import importlib.util, platform, sys
sys.path.insert(0, sys.argv[1])
from loomapp import preflight
packages = preflight.missing_libraries() + preflight.missing_engine_libraries()
if importlib.util.find_spec("ensurepip") is None:
    packages.append("python%d.%d-venv" % sys.version_info[:2])
print(platform.python_version())
print(*packages)
print("none" if preflight.display_problem() else "answers")
'

look_around() {
    python=$(find_python)
    packages=
    if [ -n "$python" ]; then
        answer=$("$python" -B -c "$look" "$folder")
        version=$(printf '%s\n' "$answer" | sed -n 1p)
        packages=$(printf '%s\n' "$answer" | sed -n 2p)
        screen=$(printf '%s\n' "$answer" | sed -n 3p)
    elif [ -n "${PYTHON:-}" ]; then
        fail 3 "PYTHON=$PYTHON is not a Python 3.11 or later."
    else
        # Without Python nothing can be looked at, so ask for the whole list.
        packages="python3 python3-venv $(sed -n 's/^    "lib.*": "\(.*\)",$/\1/p' \
            "$folder/loomapp/preflight.py" | tr '\n' ' ')"
    fi
    if [ "$(uname)" = Linux ] && [ ! -e /etc/ssl/certs/ca-certificates.crt ] && [ -d /etc/apt ]; then
        packages="$packages ca-certificates"
    fi
    if [ "$extras" = local,test ]; then
        command -v Xvfb >/dev/null || packages="$packages xvfb"
        command -v openbox >/dev/null || packages="$packages openbox"
        command -v xdotool >/dev/null || packages="$packages xdotool"
        # What a screen reader hears is listened to on a bus of the tests' own.
        command -v dbus-daemon >/dev/null || packages="$packages dbus"
        [ -x /usr/libexec/at-spi-bus-launcher ] || packages="$packages at-spi2-core"
    fi
    packages=$(printf '%s' "$packages" | tr -s ' ' | sed 's/^ //; s/ $//')
}

provide_packages() {
    look_around
    [ -n "$packages" ] || return 0
    command -v apt-get >/dev/null || fail 3 "Please install these first (names as in Debian): $packages"
    install="apt-get install --yes --no-install-recommends $packages"
    [ "$(id -u)" -eq 0 ] || fail 3 "Some system packages are missing. Install them with: sudo $install"
    say "Installing system packages: $packages"
    # Debian's own messages are of use only when it fails.
    export DEBIAN_FRONTEND=noninteractive
    if ! said=$({ apt-get update && $install; } 2>&1); then
        fail 3 "$said
Some system packages are missing. This failed: $install"
    fi
    wanted=$packages
    look_around
    [ -n "$python" ] || fail 3 "Loomapp needs Python 3.11 or later, and this system has none."
    [ -z "$packages" ] || fail 3 "Still missing after installing $wanted: $packages"
}

# --- the environment --------------------------------------------------------------------------

# An environment is ready when a stamp in it says so: for these extras, this Python, this folder
# (an environment cannot be moved) and these requirements.
provide_environment() {
    environment=$folder/.venv-${version%.*}
    made_for="Python $version in $folder"
    ready_for="$made_for, requirements $(cat "$folder/pyproject.toml" "$constraints" | cksum)"
    [ "$(cat "$environment/ready-for-$extras" 2>/dev/null)" != "$ready_for" ] || return 0

    if [ "$(cat "$environment/made-for" 2>/dev/null)" != "$made_for" ]; then
        rm -rf "$environment"
        "$python" -m venv "$environment"
        printf '%s\n' "$made_for" >"$environment/made-for"
    fi
    say "Installing Loomapp and its libraries into ${environment##*/} (less than a minute)"
    if [ -t 2 ]; then quiet=; else quiet=--quiet; fi
    # uv does in seconds what takes pip a minute. pip is left for where uv cannot be had or reaches nothing.
    set -- --constraint "$constraints" --editable "${folder}[$extras]"
    if ! {
        install_with_pip --constraint "$constraints" uv &&
            "$environment/bin/python" -m uv pip install $quiet --python "$environment/bin/python" "$@" >&2
    }; then
        say "uv could not install them, so pip does (some minutes)."
        install_with_pip "$@"
    fi
    printf '%s\n' "$ready_for" >"$environment/ready-for-$extras"
    # What the tests need includes what a run needs.
    printf '%s\n' "$ready_for" >"$environment/ready-for-local"
}

install_with_pip() {
    "$environment/bin/python" -m pip install $quiet --disable-pip-version-check --no-input "$@" >&2
}

# --- the model --------------------------------------------------------------------------------

provide_model() {
    models=${LOOMAPP_MODEL_DIR:-${XDG_DATA_HOME:-${HOME:-}/.local/share}/loomapp/models}
    for file in "$models"/*.gguf; do
        [ ! -s "$file" ] || return 0
    done
    say "Fetching the local model (98 MB)"
    "$environment/bin/loomapp" model fetch >&2
}

# --- the three ways in ------------------------------------------------------------------------

run() {
    extras=local
    provide_packages
    provide_environment
    provide_model || say "Going on without a local model: other models work, and it can be fetched later."
    if [ "$screen" = none ]; then
        say "No screen here, so this is the demo."
        exec "$environment/bin/loomapp" demo "$@"
    fi
    exec "$environment/bin/loomapp" "$@"
}

setup() {
    extras=local,test
    provide_packages
    provide_environment
    provide_model
}

case ${1:-} in
run)
    shift
    run "$@"
    ;;
test)
    shift
    setup
    cd "$folder"
    # Each worker has a home, a screen and an engine of its own (341 MB), so there are few; but two for a core:
    # for a third of their time they wait, and with three for two cores one core stands still every so often.
    cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
    workers=$((cores * 2))
    [ "$workers" -le 4 ] || workers=4
    LOOMAPP_MODEL_DIR=$models exec "$environment/bin/python" -m pytest \
        --numprocesses="$workers" --dist=worksteal "$@"
    ;;
setup)
    setup
    printf '%s\n' "$environment/bin/python"
    ;;
*)
    fail 2 "Usage: sh packaging/start.sh run|test [argument …]"
    ;;
esac
