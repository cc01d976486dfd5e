package cluster

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// starter starts programs on a thread of its own, which ends with this process and not before. Other threads may: one
// that a goroutine is locked to ends with the goroutine.
var starter = sync.OnceValue(func() chan<- func() {
	starts := make(chan func())
	go func() {
		runtime.LockOSThread()
		for start := range starts {
			start()
		}
	}()
	return starts
})

// startToDieWithParent starts a program, which the kernel kills when the thread that started it ends: a test that
// panics or is killed leaves nothing behind.
func startToDieWithParent(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	starter() <- func() { started <- cmd.Start() }
	return <-started
}
