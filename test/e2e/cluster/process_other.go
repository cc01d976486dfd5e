//go:build !linux

package cluster

import "os/exec"

// startToDieWithParent starts a program. Here a test that is killed leaves it running.
func startToDieWithParent(cmd *exec.Cmd) error { return cmd.Start() }
