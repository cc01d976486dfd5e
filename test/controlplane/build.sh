#!/bin/sh
# Builds etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kwok, or with the argument volcano Volcano's
# programs, into a cache outside the repository, unless they are there, and prints where they are. main.go does it;
# README.md tells.
set -eu
cd "$(dirname "$0")"
GOWORK=off exec "${GO:-go}" run . "$@"
