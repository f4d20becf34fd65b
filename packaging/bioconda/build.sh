#!/usr/bin/env bash
# build.sh - build and install ribogrid for conda, which sets CMAKE_ARGS and PREFIX.
set -eu
# shellcheck disable=SC2086 # CMAKE_ARGS is a list of words
cmake -S . -B build/conda -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_TESTING=OFF -DRIBOGRID_WERROR=OFF -DRIBOGRID_CUDA=OFF
cmake --build build/conda
cmake --install build/conda --prefix "$PREFIX"
