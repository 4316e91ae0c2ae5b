#!/usr/bin/env bash
# Installs the peers of the benchmarks: bench/peers/install.sh
# Transformers.js and others into bench/peers/node_modules, and those in Python into a virtual environment in
# bench/peers/venv (Python 3.10 or later; with torch several gigabytes).
set -euo pipefail
cd "$(dirname "$0")"
npm ci --ignore-scripts
python3 -m venv venv
venv/bin/pip install --quiet --requirement requirements.txt
