package loop

import (
	"fmt"
	"strings"
	"time"

	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Reasons of events about queues, beside the codes QueueNotOpen and QueueCapability.
const (
	notHeeded = "NotHeeded" // a field that no configured plugin reads
	jobsWait  = "JobsWait"  // one has waited for longWait
)

// longWait is how long the first job of a queue waits before that is told about the queue, and the shortest time
// between two events of one reason about one queue.
const longWait = time.Hour

// mostQueueEvents is how many are told at a look: the first look of a scheduler may find thousands, and events about
// pods wait behind them.
const mostQueueEvents = 50

// queueEvents tells about queues, by events, what needs a person: they are closed while jobs wait, hold more than they
// may, have a field that does nothing, or a job that waits for long. Each is told when two looks have seen it, once
// while it lasts. What one queue takes from another is told on both. The events name no jobs: they are kept in
// namespace default, where others read them than may see these.
type queueEvents struct {
	taken map[taking]*lostPods
	seen  map[queueNeed]seenNeed
	at    time.Time // of the last look
	took  time.Duration
}

// taking is an action that evicts pods of one queue for another; the queues are "" where no pod was to have the room.
type taking struct{ action, from, to string }

type lostPods struct {
	pods int       // since it was told
	told time.Time // zero: never
}

// mostTaken bounds the pairs of queues that are remembered; of others the pods and PodGroups tell.
const mostTaken = 1000

// takes counts a pod that is evicted.
func (c *queueEvents) takes(by taking) {
	if by.from == by.to {
		return
	}
	if c.taken == nil {
		c.taken = map[taking]*lostPods{}
	}
	t := c.taken[by]
	if t == nil && len(c.taken) >= mostTaken {
		return
	}
	if t == nil {
		t = &lostPods{}
		c.taken[by] = t
	}
	t.pods++
}

// tellTaken tells on both queues how many pods one has lost to the other: at once, and then at most once in longWait.
// It gives the number of events that may still be made.
func (c *queueEvents) tellTaken(l *loop, now time.Time, left int) int {
	for by, t := range c.taken {
		switch {
		case !t.told.IsZero() && now.Sub(t.told) < longWait:
			continue
		case t.pods == 0:
			delete(c.taken, by)
			continue
		case left < 2:
			return left
		}
		message := explain.EvictedBetween(by.action, t.pods, by.from, by.to)
		for _, name := range []string{by.from, by.to} {
			id, there := l.engine.Ledger().Queues.Find(name)
			if !there || l.engine.Ledger().Queue(id).Fact == nil {
				continue
			}
			l.executor.Event(execute.Event{Kind: string(model.KindQueue), Object: ledger.Key{Name: name},
				UID: l.engine.Ledger().Queue(id).Fact.UID, Reason: "Evict", Message: message})
			left--
		}
		t.told, t.pods = now, 0
	}
	return left
}

// queueNeed identifies what needs a person.
type queueNeed struct{ uid, reason string }

type seenNeed struct {
	look, told time.Time // the last look that saw it, and when it was told
	message    string
}

// report looks at all queues, for at most a hundredth of the time. Of several schedulers that share the jobs none knows
// all of them: they report nothing.
func (c *queueEvents) report(l *loop, now time.Time) {
	if now.Sub(c.at) < max(reportProblemsEvery, 100*c.took) || l.o.Ring.Shared() {
		return
	}
	began, before := time.Now(), c.at
	if c.seen == nil {
		c.seen = map[queueNeed]seenNeed{}
	}
	waiting, left := l.waitingJobs(), c.tellTaken(l, now, mostQueueEvents)
	l.engine.Ledger().Queues.Each(func(id ledger.QueueID) bool {
		q := l.engine.Ledger().Queue(id)
		if q.Fact == nil {
			return true
		}
		for reason, message := range l.needsOf(q, waiting[q.Name], now) {
			need := queueNeed{q.Fact.UID, reason}
			was := c.seen[need]
			lasts := !was.look.IsZero() && was.look.Equal(before)
			if lasts && left > 0 && was.message == "" && (was.told.IsZero() || now.Sub(was.told) >= longWait) &&
				l.executor.Event(execute.Event{Kind: string(model.KindQueue), Object: ledger.Key{Name: q.Name},
					UID: q.Fact.UID, Warning: true, Reason: reason, Message: message}) {
				was.told, was.message = now, message
				left--
			}
			if !lasts {
				was.message = ""
			}
			was.look = now
			c.seen[need] = was
		}
		return true
	})
	for need, was := range c.seen {
		if !was.look.Equal(now) && now.Sub(was.told) >= longWait {
			delete(c.seen, need)
		}
	}
	c.at, c.took = now, time.Since(began)
}

// waitingInQueue are the jobs of one queue that wait for their start.
type waitingInQueue struct {
	jobs  int
	first ledger.JobID
	since time.Time // of the first; zero where none is known
}

// waitingJobs are the jobs that wait, by queue.
func (l *loop) waitingJobs() map[string]waitingInQueue {
	out, led := map[string]waitingInQueue{}, l.engine.Ledger()
	led.Jobs.Each(func(id ledger.JobID) bool {
		job := led.Job(id)
		if !estimate.AwaitsStart(job) {
			return true
		}
		name := led.Jobs.QueueName(id)
		w := out[name]
		w.jobs++
		since := time.Unix(0, job.Created)
		if t := l.reported.jobs[job.Key]; t != nil && t.ready && t.since.After(since) {
			since = t.since // it ran, and waits again
		}
		if job.Created != 0 && (w.since.IsZero() || since.Before(w.since)) {
			w.first, w.since = id, since
		}
		out[name] = w
		return true
	})
	return out
}

// needsOf is what of a queue needs a person, by reason.
func (l *loop) needsOf(q *ledger.Queue, w waitingInQueue, now time.Time) map[string]string {
	out := map[string]string{}
	if text := profile.Unheeded(l.conf.chosen, q.Fact); len(text) > 0 {
		out[notHeeded] = strings.Join(text, "; ")
	}
	if over := l.overCapability(q); over != "" {
		out[string(trace.QueueCapability)] = "it holds more than its capability (" + over + "): no pod is evicted for " +
			"that, and nothing starts in it that asks for more of it"
	}
	if w.jobs == 0 {
		return out
	}
	if state := q.State(); state != model.QueueOpen {
		what := "it is " + strings.ToLower(state.String())
		if q.Fact.State == model.QueueOpen {
			what = "a queue above it is " + strings.ToLower(state.String())
		}
		out[string(trace.QueueNotOpen)] = what + ": no job of it starts until it is opened, and jobs wait in it"
		return out
	}
	if !w.since.IsZero() && now.Sub(w.since) >= longWait {
		reason := l.engine.Refusal(w.first)
		why := ""
		if code := reason.Root().Code; code != trace.None {
			why = " (" + string(code) + ")"
		}
		out[jobsWait] = fmt.Sprintf("a job in it waits since %s%s; `kubectl ashlar why queue %s` says for what",
			w.since.UTC().Format(time.RFC3339), why, q.Name)
	}
	return out
}

// overCapability is what a queue holds beyond its capability, where a plugin heeds that.
func (l *loop) overCapability(q *ledger.Queue) string {
	_, weights := l.conf.chosen.Plugin("proportion")
	_, amounts := l.conf.chosen.Plugin("capacity")
	if !weights && !amounts {
		return ""
	}
	var over []string
	dims := l.engine.Ledger().Dims
	for _, a := range dims.List(q.Allocated.Vec(nil)) {
		d, _ := dims.Lookup(a.Name)
		if most, bounded := q.Capability.Bound(d); bounded && d != resource.Pods && a.Value > most {
			over = append(over, fmt.Sprintf("%s: %s held, %s allowed", a.Name, explain.Quantity(a.Name, a.Value),
				explain.Quantity(a.Name, most)))
		}
	}
	return strings.Join(over, "; ")
}
