package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"ashlar.sh/internal/loop"
)

// The environment by which a child knows that it is the scheduler, and how to be it.
const (
	childMark  = "ASHLAR_BENCH_SCHEDULER" // the kubeconfig
	childQuiet = "ASHLAR_BENCH_QUIET"     // events get no further than the client
	childPprof = "ASHLAR_BENCH_PPROF"     // address
)

// scheduleAsChild is the live scheduler as the command runs it; where events are not wanted it runs
// with --quiet-binds, and what other events there are get no further than the client.
func scheduleAsChild() error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv(childMark))
	if err != nil {
		return err
	}
	if os.Getenv(childQuiet) != "" {
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return withoutEvents{next} })
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	address := os.Getenv(childPprof)
	return loop.Run(ctx, loop.Options{Config: rest.CopyConfig(config), SchedulerNames: []string{scheduler},
		Adopt: loop.AdoptAlways, QuietBinds: os.Getenv(childQuiet) != "",
		Addresses: loop.Addresses{Metrics: address, Pprof: address != ""}})
}

// withoutEvents answers for the API server that an event was made.
type withoutEvents struct{ next http.RoundTripper }

// RoundTrip is http.RoundTripper's.
func (w withoutEvents) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/events") {
		return w.next.RoundTrip(r)
	}
	if r.Body != nil {
		r.Body.Close()
	}
	made := `{"apiVersion":"v1","kind":"Event","metadata":{}}`
	return &http.Response{StatusCode: http.StatusCreated, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(bytes.NewBufferString(made))}, nil
}

// child is a scheduler that runs.
type child struct {
	cmd *exec.Cmd
	log *os.File
}

// run starts a scheduler; its log is in the control plane's folder.
func (p *plane) run(events bool, pprof string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(p.Dir, "scheduler.log"))
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(self), log: log}
	c.cmd.Env = append(os.Environ(), childMark+"="+p.Kubeconfig, childPprof+"="+pprof)
	if !events {
		c.cmd.Env = append(c.cmd.Env, childQuiet+"=1")
	}
	c.cmd.Stdout, c.cmd.Stderr = log, log
	return c, c.cmd.Start()
}

// usage is what a scheduler took so far.
type usage struct {
	cpu      time.Duration
	resident int64 // bytes, now
	peak     int64
}

// usage reads it from Linux; zero elsewhere.
func (c *child) usage() (u usage) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		return u
	}
	kilobytes := func(of string) int64 {
		_, rest, _ := strings.Cut(string(status), of+":")
		n, _ := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64) // 0 when it is not there
		return n << 10
	}
	u.resident, u.peak = kilobytes("VmRSS"), kilobytes("VmHWM")
	return u
}

// end asks it to end, and returns what it took.
func (c *child) end() (usage, error) {
	u := c.usage()
	defer c.log.Close()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return u, fmt.Errorf("end the scheduler: %w", err)
	}
	err := c.cmd.Wait()
	u.cpu = c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		said, _ := os.ReadFile(c.log.Name())
		return u, fmt.Errorf("the scheduler ended with %w; its log:\n%s", err, said[max(0, len(said)-2000):])
	}
	return u, err
}
