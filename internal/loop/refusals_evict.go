package loop

import (
	"slices"
	"time"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// trial has the evictions of one statement, and the binding that is tried before such evictions are carried out.
type trial struct {
	job       ledger.JobID
	refused   *refused
	bind      sched.Item
	evictions []sched.Item
}

// How long a job waits for the answer to a trial at most, for how long it may evict once that was given, and for how
// long it may not where bindings are refused though their trials are accepted: each time four times as long.
const (
	longestTrial = time.Minute
	permitLasts  = 10 * time.Second
	firstNoMore  = 4 * time.Minute
	longestVain  = 4 * time.Hour
	longestSpare = 30 * time.Second // after a trial that leads to nothing: free room may appear
)

// permit says until when a job may evict: the API server would bind that pod of it.
type permit struct {
	pod   ledger.Key
	until int64
}

// evictedInVain counts that a binding was refused for which pods were evicted because its trial had been accepted. A
// dry run does not show that the pod is too large for the store, that a volume or a claim of it may not be written, or
// what a webhook says that cannot be asked.
func (e *refused) evictedInVain(now int64) {
	e.noMore = now + int64(min(firstNoMore<<min(2*e.vain, 10), longestVain))
	e.vain++
	e.inVain, e.evictedFor = e.evictedFor, ledger.Key{}
}

// evictOnTrial takes from a plan the evictions for jobs of which a binding was refused before, unless the API server
// said just now that it would bind the pod. Else each try to place the job would cost pods, though it cannot start.
// They are answered at once as not carried out, and the API server is asked; the job pauses until it has answered.
// evictOnTrial returns the other items; none is lost if it panics.
func (rb *refusedBindings) evictOnTrial(items []sched.Item) []sched.Item {
	if len(rb.memory.by) == 0 {
		return items
	}
	rest := items
	rb.l.withoutPanic("looking for which jobs evictions are that were refused before", func() {
		others, trials := rb.trials(items)
		for _, t := range trials {
			rb.pause(t)
		}
		rest = others
		for _, t := range trials {
			for _, i := range t.evictions {
				rb.l.input.receipts = append(rb.l.input.receipts, sched.Receipt{Item: i, Outcome: sched.Forgone})
			}
			rb.l.executor.Try(t.bind)
		}
	})
	return rest
}

// pause has a job wait for the answer to a trial: the whole job, or, if it goes on without it, the pod that is tried.
func (rb *refusedBindings) pause(t *trial) {
	job := rb.l.engine.Ledger().Job(t.job)
	p := rb.memory.jobs[job.Key]
	if p == nil || p.group != job.GroupUID() {
		p = &jobBackoff{group: job.GroupUID(), why: t.refused, names: map[string]bool{t.refused.pod.Name: true}}
		rb.memory.jobs[job.Key] = p
		if rb.complete(job) {
			p.pods = map[string]ledger.Key{}
		}
	}
	if p.pods != nil {
		p.pods[t.bind.UID] = t.bind.Pod
	}
	p.tried = rb.l.now() + int64(longestTrial)
	rb.setBackoff(job.Key, p)
}

// tried takes in the answers to trials, and returns the receipts of plans.
func (rb *refusedBindings) tried(receipts []sched.Receipt) (ofPlans []sched.Receipt) {
	for _, r := range receipts {
		if !execute.OfTrial(r.Item) {
			ofPlans = append(ofPlans, r)
			continue
		}
		led := rb.l.engine.Ledger()
		id, ok := led.Tasks.Find(r.Item.Pod)
		if !ok || led.Task(id).Pod.UID != r.Item.UID || led.Task(id).Job == ledger.NoJob {
			continue // the pause ends by itself
		}
		rb.answered(led.Job(led.Task(id).Job), r)
	}
	return ofPlans
}

// answered takes in the answer to a trial for a job.
func (rb *refusedBindings) answered(job *ledger.Job, r sched.Receipt) {
	accepted := r.Outcome == sched.Done
	permitted := accepted && !rb.spares(job, r.Item)
	if p := rb.memory.jobs[job.Key]; p != nil && (p.tried != 0 || permitted) {
		p.tried = 0
		switch {
		case permitted:
			p.why.spared = 0
			if len(p.pods) > 1 { // others that are refused still do not hold it up
				delete(p.pods, r.Item.UID)
			}
		case accepted: // each plan would evict for it again, but it may find free room meanwhile
			p.why.spared++
			p.tried = rb.putOff(p.why, p.why.tries+p.why.spared)
		case r.Refused != "" || r.Outcome == sched.Missing: // what is refused is counted below
		case len(p.pods) > 1 && r.Item.Pod != p.why.pod: // not answered; what others are refused does not hold it up
			delete(p.pods, r.Item.UID)
		default:
			p.tried = rb.putOff(p.why, p.why.tries)
		}
		rb.setBackoff(job.Key, p)
	}
	switch {
	case permitted:
		if rb.permits == nil {
			rb.permits = map[ledger.JobKey]permit{}
		}
		rb.permits[job.Key] = permit{r.Item.Pod, rb.l.now() + int64(permitLasts)}
	case r.Refused != "":
		rb.note(r)
	}
}

// putOff returns until when a job waits after a trial that led to nothing: as after so many refusals, but not for long,
// nor for longer than nothing is evicted for it.
func (rb *refusedBindings) putOff(e *refused, tries int32) int64 {
	now := rb.l.now()
	until := now + int64(min(backoffAfter(tries), longestSpare))
	if e.noMore > now {
		until = min(until, e.noMore)
	}
	return until
}

// spares says that no pod is evicted for a pod of a job now: that was in vain before, though trials were accepted.
// Where that pod is gone, another one of the same controller stands for it.
func (rb *refusedBindings) spares(job *ledger.Job, i sched.Item) bool {
	e := rb.memory.of(job)
	if e == nil || rb.l.now() >= e.noMore {
		return false
	}
	return e.inVain == i.Pod || !rb.waitsIn(job, e.inVain) && e.controller != "" &&
		e.controller == rb.controllerOf(i.Pod, i.UID)
}

// trials separates the evictions for jobs that were refused before from the other items.
func (rb *refusedBindings) trials(items []sched.Item) (rest []sched.Item, trials []*trial) {
	of := map[uint64]*trial{} // by statement
	for _, i := range items {
		t, known := of[i.Statement]
		if i.Kind == sched.EvictPod && !known {
			if t = rb.trialFor(i, items); t != nil {
				trials = append(trials, t)
			}
			of[i.Statement] = t
		}
		if i.Kind != sched.EvictPod || t == nil {
			rest = append(rest, i)
			continue
		}
		t.evictions = append(t.evictions, i)
	}
	return rest, trials
}

// trialFor returns the trial for the statement of an eviction; nil where no binding of the job was refused before.
func (rb *refusedBindings) trialFor(eviction sched.Item, items []sched.Item) *trial {
	led := rb.l.engine.Ledger()
	id, ok := led.Tasks.Find(eviction.Preemptor)
	if !ok || led.Task(id).Job == ledger.NoJob {
		return nil
	}
	t := &trial{job: led.Task(id).Job}
	job := led.Job(t.job)
	if t.refused = rb.memory.of(job); t.refused == nil {
		return nil
	}
	pod, ok := rb.suspect(job, t, eviction, items)
	if !ok {
		return nil
	}
	if p := rb.permits[job.Key]; p.until > rb.l.now() && (!rb.complete(job) || p.pod == led.Task(pod).Key) {
		t.refused.evictedFor = p.pod
		return nil
	}
	task := led.Task(pod)
	t.bind = sched.Item{Kind: sched.BindPod, Statement: eviction.Statement, Pod: task.Key, UID: task.Pod.UID,
		Node: eviction.Node}
	if task.Node != ledger.NoNode {
		t.bind.Node = led.Node(task.Node).Name
	}
	return t
}

// placeable says that a pod may still be bound: it is not about to go, and has not ended.
func (rb *refusedBindings) placeable(pod ledger.Key) bool {
	led := rb.l.engine.Ledger()
	id, ok := led.Tasks.Find(pod)
	if !ok {
		return false
	}
	s := led.Task(id).Status
	return (s == model.Pending || s == model.Pipelined) && !led.Task(id).Pod.Deleting
}

// startsWithout says that a job has its minimum by the members that are placed, or that wait for what is evicted for
// them, without a pod.
func (rb *refusedBindings) startsWithout(job *ledger.Job, pod ledger.Key) bool {
	led := rb.l.engine.Ledger()
	id, ok := led.Tasks.Find(pod)
	return ok && led.Task(id).Status == model.Pending &&
		job.Met(func(c *ledger.Count) int32 { return c.Placed() + c.By[model.Pipelined] })
}

// suspect returns the pod of which the binding is to be tried: one that was refused and gets room by the statement. Of
// a job below its minimum that cannot start without the pod that was refused last, it is that pod wherever it goes, and
// where it is gone the one that the eviction is for: it may have been made in its place. A job that goes on without its
// refused pod may have pods evicted for others.
func (rb *refusedBindings) suspect(job *ledger.Job, t *trial, eviction sched.Item, items []sched.Item) (ledger.TaskID,
	bool) {
	led := rb.l.engine.Ledger()
	names := map[string]bool{t.refused.pod.Name: true}
	if p := rb.memory.jobs[job.Key]; p != nil {
		names = p.names
	}
	if !rb.complete(job) && rb.waitsIn(job, t.refused.pod) && rb.placeable(t.refused.pod) &&
		!rb.startsWithout(job, t.refused.pod) {
		return led.Tasks.Find(t.refused.pod)
	}
	n := slices.IndexFunc(items, func(i sched.Item) bool {
		id, ok := led.Tasks.Find(i.Pod)
		return i.Kind == sched.NominatePod && i.Node != "" && i.Statement == eviction.Statement && ok &&
			led.Task(id).Job == t.job && names[i.Pod.Name]
	})
	switch {
	case n >= 0:
		return led.Tasks.Find(items[n].Pod)
	case rb.complete(job):
		return ledger.NoTask, false
	default:
		return led.Tasks.Find(eviction.Preemptor)
	}
}
