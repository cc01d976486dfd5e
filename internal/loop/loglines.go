package loop

import (
	"hash/maphash"
	"strings"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched/trace"
)

// At -v 3, which Volcano's chart sets, Volcano logs each of its cycles, one a second. Here there are as
// many cycles as changes. So at that level a line is not logged again within a schedule period, and a
// line that only describes the current state not within a minute. Then a cycle in which nothing was
// tried logs nothing.
const stateEventsEach = time.Minute

// stateEvents are the events that describe the current state: a cycle with no other events tried nothing.
var stateEvents = map[trace.EventKind]bool{trace.TryQueues: true, trace.QueueOverusedEvent: true,
	trace.QueueNotOpenEvent: true,
	trace.NotEnqueued:       true, trace.NoPreemptors: true, trace.NoPreemptorTask: true, trace.HyperNodesReady: true}

// mostLines bounds how many lines are remembered; beyond that what is older than a period is
// forgotten.
const mostLines = 50_000

// logLines remembers when each line of level 3 was logged last, by a hash of it: lines have names that are as long as
// tenants write them.
type logLines struct {
	period time.Duration
	seed   maphash.Seed
	last   map[uint64]time.Time
}

// due reports whether a line has to be logged now, and notes that it is.
func (l *logLines) due(line string, kind trace.EventKind, now time.Time) bool {
	every := l.period
	if stateEvents[kind] {
		every = stateEventsEach
	}
	if l.last == nil {
		l.seed, l.last = maphash.MakeSeed(), map[uint64]time.Time{}
	}
	of := maphash.String(l.seed, line)
	if last, said := l.last[of]; said && now.Sub(last) < every {
		return false
	}
	if len(l.last) >= mostLines {
		l.forget(now)
	}
	l.last[of] = now
	return true
}

func (l *logLines) forget(now time.Time) {
	for line, at := range l.last {
		if now.Sub(at) >= l.period {
			delete(l.last, line)
		}
	}
	if len(l.last) >= mostLines {
		clear(l.last)
	}
}

// log prints what a cycle did, a line each: all of it from -v 4, at -v 3 what is due.
func (l *logLines) log(events []trace.Event, now time.Time) {
	all := verbosity() > 3
	for i := range events {
		level, text := explain.Log(events[i])
		if level > 0 && !all && !l.due(text, events[i].Kind, now) {
			continue
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); level == 0 {
				klog.Error(line)
			} else {
				klog.V(klog.Level(level)).Info(line)
			}
		}
	}
}
