package e2e

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/cli"
)

// page is what a command has written so far.
type page struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.Write(b)
}

func (p *page) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.String()
}

// A list that is watched shows a job once it is there, prints no line twice, and ends with Ctrl-C.
func TestLiveWatch(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	queue(t, ns)
	live(t, ns)
	submit(t, ns, ns, "first", 9, 9, "1")
	awaitCondition(t, ns, "first", schedulingv1beta1.PodGroupUnschedulableType)

	var out, errs page
	p := cli.Process{Args: []string{"ashlar", "jobs", "--watch", "-n", ns, "--scheduler-name", ns, "-o", "name",
		"--kubeconfig", shared.Kubeconfig}, In: strings.NewReader(""), Out: &out, Err: &errs,
		Env: func(string) string { return "" }, Now: time.Now}
	ended := make(chan int, 1)
	go func() { ended <- p.Run() }()
	shows := func(text string) {
		eventually(t, text, func(context.Context) (bool, error) { return out.String() == text, nil },
			func() string { return out.String() + errs.String() })
	}
	shows("job/first\n")
	submit(t, ns, ns, "second", 9, 9, "1")
	shows("job/first\njob/second\n")
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	select {
	case code := <-ended:
		if code != 0 {
			t.Errorf("exit %d, stderr %s", code, errs.String())
		}
	case <-time.After(patience):
		t.Error("the watch does not end")
	}
	if n := strings.Count(errs.String(), "warning: the scheduler's configuration"); n != 1 {
		t.Errorf("what is missing is told %d times, want once:\n%s", n, errs.String())
	}
}
