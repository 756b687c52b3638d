#!/bin/sh
# Reads a virtual tag on a simulated reader, with nfcctl and with Python, from the unpacked archive of a release: 'nfcctl demo' with the
# Python client that is in the archive. It installs nothing, and needs no root, no pcscd and no network.
# usage: ./demo
# Exit codes: those of nfcctl demo.
set -eu

here=$(dirname "$(readlink -f "$0")")
PYTHONPATH=$here/python${PYTHONPATH:+:$PYTHONPATH}
# The archive stays as it is.
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
exec "$here/stage/bin/nfcctl" demo "$@"
