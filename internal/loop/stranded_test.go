package loop

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
)

// journal is what schedulers of a test have logged, by many goroutines.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

// count is in how many places the log has a text.
func (j *journal) count(text string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Count(j.text.String(), text)
}

// logTo takes down what is logged until the test ends.
func logTo(t *testing.T) *journal {
	t.Helper()
	var out journal
	klog.SetLogger(textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&out))))
	t.Cleanup(klog.ClearLogger)
	return &out
}

// A half-bound gang that cannot be completed or released is reported when that begins and
// when it changes, and now and then, however often it is looked at.
func TestAGangThatStaysHalfIsReportedSeldom(t *testing.T) {
	out := logTo(t)
	reports := func() int { return out.count("stands below its minimum") }
	inVirtualTime(t, 1, func(w *living) {
		w.refuse("g-3")
		w.group("g", 4, noOwner)
		w.pods("g", 0, 4, "1")
		w.after(9 * time.Minute)
		if n, events := reports(), w.events("g", "GangStranded"); n != 1 || events != 1 {
			t.Errorf("after nine minutes it was logged %d times, and %d events say it, want 1 and 1", n, events)
		}
		w.after(time.Hour)
		if n, events := reports(), w.events("g", "GangStranded"); n < 5 || n > 8 || events != 1 {
			t.Errorf("after an hour more it was logged %d times, and %d events say it, want some seven times and 1", n, events)
		}
		before := reports()
		w.delete("g-0") // fewer stay
		w.after(3 * time.Minute)
		if n, events := reports()-before, w.events("g", "GangStranded"); n < 1 || n > 2 || events != 2 {
			t.Errorf("when one of three is gone it was logged %d times more, and %d events say it, want once and 2", n, events)
		}
	})
}
