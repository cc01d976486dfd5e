//go:build !linux

package cluster

import "os/exec"

// dieWithParent has no counterpart here: a test that is killed leaves the programs running.
func dieWithParent(*exec.Cmd) {}
