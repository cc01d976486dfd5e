package cluster

import (
	"os/exec"
	"syscall"
)

// dieWithParent has the kernel kill the program when the thread that started it ends, which for a
// Go program is when the program ends: a test that panics or is killed leaves nothing behind. (Go
// ends a thread earlier only if a goroutine locked to it returns.)
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
