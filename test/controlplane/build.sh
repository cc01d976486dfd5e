#!/bin/sh
<<<<<<< HEAD
# Builds etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kwok into a cache outside the
# repository, unless they are there, and prints where they are. main.go does it; README.md tells.
=======
# Builds etcd, kube-apiserver, kube-controller-manager and kwok, or with the argument volcano Volcano's programs, into a
# cache outside the repository, unless they are there, and prints where they are. main.go does it; README.md tells.
>>>>>>> f1a357a5 (e2e: take Volcano's place beside its own controllers and scheduler)
set -eu
cd "$(dirname "$0")"
GOWORK=off exec "${GO:-go}" run . "$@"
