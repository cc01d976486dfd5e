//go:build unix && !simulator

package cli_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// An API server that does not answer holds a command up no longer than until the second Ctrl-C.
func TestTheSecondInterruptEndsACommand(t *testing.T) {
	came, over := make(chan struct{}, 9), make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		came <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}))
	defer silent.Close()
	defer close(over)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(exe, "doctor", "--kubeconfig", file(t, "kubeconfig", `apiVersion: v1
kind: Config
current-context: c
clusters: [{name: k, cluster: {server: "`+silent.URL+`"}}]
contexts: [{name: c, context: {cluster: k}}]
`))
	c.Env = append(os.Environ(), asCommand+"=1")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.Wait() // how it ended is in its state
	}()
	<-came
	for again := time.NewTicker(50 * time.Millisecond); ; {
		select {
		case <-again.C:
			_ = c.Process.Signal(os.Interrupt) // it may have ended
			continue
		case <-ended:
		}
		again.Stop()
		break
	}
	if s, is := c.ProcessState.Sys().(syscall.WaitStatus); !is || !s.Signaled() || s.Signal() != syscall.SIGINT {
		t.Errorf("it ended with %v, want by the second interrupt", c.ProcessState)
	}
}
