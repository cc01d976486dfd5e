package loop

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// refusedBindings keeps count of refused bindings and of the backoffs that follow from them.
type refusedBindings struct {
	l *loop

	memory  refusalMemory
	permits map[ledger.JobKey]permit
}

// The backoffs between tries to bind pods that the API server refuses: each is twice as long as
// the one before.
const (
	firstBackoff   = 200 * time.Millisecond
	longestBackoff = 30 * time.Minute

	remembered  = time.Hour // after its next try, of what is gone
	mostRefused = 10_000    // lives beyond which what is gone is not remembered

	// mostDeleting is longer than a deletion takes: it is tried for 30 s, and may be carried out a minute later.
	mostDeleting = 5 * time.Minute
)

// backoffAfter is how long to wait after that many refusals in a row.
func backoffAfter(tries int32) time.Duration {
	return min(firstBackoff<<min(max(tries, 1)-1, 20), longestBackoff)
}

// refusalMemory has the bindings that the API server refused, so that they are tried less and less often. Refusals are
// kept by PodGroup and by controller, since pods and PodGroups are made anew, and by pod where a pod has neither. Facts
// tell the engine which jobs are in a backoff.
type refusalMemory struct {
	by          map[life]*refused
	jobs        map[ledger.JobKey]*jobBackoff
	sentVersion uint64 // the version of what the engine was told last
}

// life identifies what was refused. The author of a pod chooses the UID of its controller, so that UID counts
// only in the pod's own namespace.
type life struct{ namespace, uid string }

// refused counts refusals, one try after the other.
type refused struct {
	tries      int32
	next       int64  // no try before, on the clock of loop.now
	statement  uint64 // of the last try
	inOrder    uint64 // the last statement in which a gang's minimum was bound in order
	pod        ledger.Key
	answer     string
	life       life // its PodGroup, else its controller, else the pod
	job        ledger.JobKey
	group      string // UID of its PodGroup
	controller string // UID
	// evictedFor is the pod for which others were evicted since, because a dry run of its binding was accepted; vain is
	// how often a binding was refused after that, inVain that pod, and noMore until when no pod is evicted for it then.
	// Until then trials go on: spared of them were accepted in vain since.
	evictedFor ledger.Key
	inVain     ledger.Key
	vain       int32
	spared     int32
	noMore     int64
}

// jobBackoff is the backoff of a job that the engine was told of.
type jobBackoff struct {
	group string                // UID of its PodGroup
	why   *refused              // the newest
	pods  map[string]ledger.Key // by UID: those in a backoff while the job goes on; nil: the whole job is
	names map[string]bool       // of the pods that were refused
	until int64                 // no try before either, while members are being deleted; 0: none is
	tried int64                 // nor before, while a binding is only tried, or after that led to nothing; 0: none is
}

func newRefusalMemory() refusalMemory {
	return refusalMemory{by: map[life]*refused{}, jobs: map[ledger.JobKey]*jobBackoff{}}
}

// note remembers that the API server refused to bind a pod.
func (rb *refusedBindings) note(r sched.Receipt) {
	led := rb.l.engine.Ledger()
	id, ok := led.Tasks.Find(r.Item.Pod)
	if !ok || led.Task(id).Pod.UID != r.Item.UID || led.Task(id).Job == ledger.NoJob {
		return
	}
	job := led.Job(led.Task(id).Job)
	now, group, controller := rb.l.now(), job.GroupUID(), rb.controllerOf(r.Item.Pod, r.Item.UID)
	at := life{job.Key.Namespace, cmp.Or(group, controller, r.Item.UID)}
	e := rb.memory.last(led, at, controller)
	if again := e.statement == r.Item.Statement || now < e.next; !again {
		e.tries++
		e.next = now + int64(backoffAfter(e.tries))
	}
	e.statement, e.pod, e.answer, e.spared = r.Item.Statement, r.Item.Pod, r.Refused, 0
	if !execute.OfTrial(r.Item) && e.evictedFor == r.Item.Pod {
		e.evictedInVain(now)
	}
	e.life, e.job, e.group, e.controller = at, job.Key, group, controller
	rb.memory.add(&e)
	p := rb.memory.jobs[job.Key]
	if p == nil || p.group != group {
		p = &jobBackoff{group: group, names: map[string]bool{}}
		rb.memory.jobs[job.Key] = p
	}
	if !rb.complete(job) || rb.permits[job.Key].pod == r.Item.Pod {
		delete(rb.permits, job.Key)
	}
	p.why = &e
	p.names[r.Item.Pod.Name] = true
	if rb.complete(job) {
		if p.pods == nil {
			p.pods = map[string]ledger.Key{}
		}
		p.pods[r.Item.UID] = r.Item.Pod
	} else {
		p.pods = nil
	}
	rb.setBackoff(job.Key, p)
}

// last returns the refusals of a life. Where it has none it returns those of the life that the same controller made
// before, if that is gone.
func (r *refusalMemory) last(led *ledger.Ledger, at life, controller string) refused {
	if e := r.by[at]; e != nil {
		return *e
	}
	if e := r.by[life{at.namespace, controller}]; e != nil && e.passed(led) {
		return *e
	}
	return refused{}
}

// of returns the refusals of a job, nil without any.
func (r *refusalMemory) of(job *ledger.Job) *refused {
	if p := r.jobs[job.Key]; p != nil && p.group == job.GroupUID() {
		return p.why
	}
	return r.by[life{job.Key.Namespace, job.GroupUID()}]
}

// passed says that the PodGroup of the refusals is gone.
func (e *refused) passed(led *ledger.Ledger) bool {
	id, ok := led.Jobs.Find(e.job)
	return !ok || led.Job(id).GroupUID() != e.group
}

// add notes a refusal for its life and for the controller.
func (r *refusalMemory) add(e *refused) {
	r.by[e.life] = e
	if e.controller != "" {
		r.by[life{e.life.namespace, e.controller}] = e
	}
}

// forget forgets what was refused of a life.
func (r *refusalMemory) forget(e *refused) {
	delete(r.by, e.life)
	if by := (life{e.life.namespace, e.controller}); r.by[by] != nil && r.by[by].life == e.life {
		delete(r.by, by)
	}
}

// controllerOf is the UID of a pod's controller, "" without one, and where nothing has such a UID: it is remembered
// when the pod is gone, and tenants write it.
func (rb *refusedBindings) controllerOf(pod ledger.Key, uid string) string {
	if p := rb.l.observer.Pod(pod.Namespace, pod.Name); p != nil && p.Fact().UID == uid {
		if controller := p.Controller(); len(controller) <= longestName {
			return controller
		}
	}
	return ""
}

// complete says that a job has its minimum, or had it once: what is refused then is pods of
// it and not the job.
func (rb *refusedBindings) complete(job *ledger.Job) bool {
	t := rb.l.reported.jobs[job.Key]
	return started(job) || t != nil && t.uid == job.GroupUID() && t.complete
}

// setBackoff tells the engine which pods of a job are in a backoff, and until when.
func (rb *refusedBindings) setBackoff(k ledger.JobKey, p *jobBackoff) {
	rb.l.input.apply(rb.memory.fact(k, p))
}

func (r *refusalMemory) fact(k ledger.JobKey, p *jobBackoff) model.Fact {
	r.sentVersion++
	b := &model.Backoff{Meta: model.Meta{Namespace: k.Namespace, Name: k.Name, UID: p.group}, Adopted: k.Adopted,
		OwnerID: k.Owner, NotBefore: max(p.why.next, p.until, p.tried),
		Tries: p.why.tries, Pod: p.why.pod.String(), Answer: p.why.answer}
	for uid := range p.pods {
		b.Pods = append(b.Pods, uid)
	}
	slices.Sort(b.Pods)
	return model.Fact{Ref: b.Ref(), UID: p.group, Version: r.sentVersion, Object: b}
}

// backoffWhileDeleted has a gang in a backoff while members of it are being deleted. A try that completed it meanwhile
// would have it lose these members after it had its minimum. The whole gang is, also where only a pod of it was.
func (rb *refusedBindings) backoffWhileDeleted(job *ledger.Job, e *refused) {
	p := rb.memory.jobs[job.Key]
	switch {
	case p == nil:
		p = &jobBackoff{group: job.GroupUID(), why: e, names: map[string]bool{e.pod.Name: true}}
		rb.memory.jobs[job.Key] = p
	case p.group != job.GroupUID():
		return
	}
	p.pods, p.until = nil, rb.l.now()+int64(mostDeleting)
	rb.setBackoff(job.Key, p)
}

// endDeleted ends the backoff of a gang of which no member is being deleted any more.
func (rb *refusedBindings) endDeleted(job *ledger.Job) {
	if p := rb.memory.jobs[job.Key]; p != nil && p.group == job.GroupUID() && p.until != 0 {
		p.until = 0
		rb.setBackoff(job.Key, p)
	}
}

// facts are all that the engine was told.
func (r *refusalMemory) facts() (out []model.Fact) {
	for k, p := range r.jobs {
		out = append(out, r.fact(k, p))
	}
	return out
}

// endBackoff tells the engine that a job is in no backoff any more.
func (rb *refusedBindings) endBackoff(k ledger.JobKey, p *jobBackoff) {
	f := rb.memory.fact(k, p)
	f.Object = nil
	rb.l.input.apply(f)
	delete(rb.memory.jobs, k)
}

// tend forgets what is over: jobs that have started, or are gone, and pods that were
// bound after all.
func (rb *refusedBindings) tend() {
	led, now := rb.l.engine.Ledger(), rb.l.now()
	maps.DeleteFunc(rb.permits, func(_ ledger.JobKey, p permit) bool { return p.until <= now })
	for k, p := range rb.memory.jobs {
		id, ok := led.Jobs.Find(k)
		if !ok || led.Job(id).GroupUID() != p.group {
			rb.endBackoff(k, p) // its controller may make another
			continue
		}
		whole, bound := p.pods == nil, false
		for uid, pod := range p.pods {
			if there, node := placeOf(led, pod, uid); !there || node != "" {
				bound = bound || node != ""
				delete(p.pods, uid)
			}
		}
		if len(p.pods) == 0 && rb.complete(led.Job(id)) {
			if whole || bound { // otherwise it may be made anew, and be refused once more
				rb.memory.forget(p.why)
			}
			rb.endBackoff(k, p)
		}
	}
	for at, e := range rb.memory.by {
		id, ok := led.Jobs.Find(e.job)
		switch gone := !ok || led.Job(id).GroupUID() != e.group; {
		case gone && (now-e.next > int64(remembered) || len(rb.memory.by) > mostRefused):
			delete(rb.memory.by, at)
		case !gone && rb.memory.jobs[e.job] == nil && now-e.next > int64(remembered) && rb.complete(led.Job(id)):
			delete(rb.memory.by, at)
		}
	}
}

// placeOf says whether a pod is there, and which node it has; "" for none.
func placeOf(led *ledger.Ledger, pod ledger.Key, uid string) (there bool, node string) {
	id, ok := led.Tasks.Find(pod)
	if !ok || led.Task(id).Pod.UID != uid {
		return false, ""
	}
	return true, led.Task(id).Pod.Node
}

// orderedBinds has the bindings of one statement for a gang that was refused before, in the order in which they are
// sent.
type orderedBinds struct {
	job     ledger.JobID
	refused *refused
	items   []sched.Item
}

type orderedBindsKey struct {
	statement uint64
	job       ledger.JobID
}

// bindInOrder removes from a plan the bindings of gangs that were refused before. The members of such a gang are bound
// one after the other, and those that were refused come first: if one is refused again, no other member is bound. Of a
// gang below its minimum the first statement is bound so, and whatever else is bound of it comes after that. The gang's
// record is taken back before. bindInOrder returns the other items; none is lost if it panics.
func (rb *refusedBindings) bindInOrder(items []sched.Item, now time.Time) []sched.Item {
	if len(rb.memory.by) == 0 {
		return items
	}
	rest, turns := items, []*orderedBinds(nil)
	rb.l.withoutPanic("looking which gangs were refused before", func() {
		others, found := rb.ordered(items)
		rest, turns = others, found
	})
	for _, t := range turns {
		first := func() bool { return false }
		rb.l.withoutPanic("taking back a gang's record", func() {
			first = rb.l.origins.takeBack(rb.l.engine.Ledger().Job(t.job), t.refused, now)
		})
		rb.l.executor.BindInOrder(t.items, first)
	}
	return rest
}

// ordered separates the bindings of gangs that were refused before from the other items.
func (rb *refusedBindings) ordered(items []sched.Item) (rest []sched.Item, ordered []*orderedBinds) {
	led := rb.l.engine.Ledger()
	of, plan := map[orderedBindsKey]*orderedBinds{}, bindsOf(led, items)
	for _, i := range items {
		job, e := rb.refusedBefore(i)
		if e == nil {
			rest = append(rest, i)
			continue
		}
		after, inOrder := uint64(0), true
		if !rb.complete(led.Job(job)) {
			after, inOrder = plan.after(led.Job(job), job, i.Statement, e.inOrder)
		}
		if after != 0 {
			i.After = append(slices.Clone(i.After), after)
		}
		if !inOrder {
			rest = append(rest, i)
			continue
		}
		key := orderedBindsKey{i.Statement, job}
		t := of[key]
		if t == nil {
			t = &orderedBinds{job: job, refused: e}
			of[key] = t
			ordered = append(ordered, t)
		}
		t.items = append(t.items, i)
	}
	for _, t := range ordered {
		if first := plan.first[t.job]; first != 0 {
			t.refused.inOrder = first
		}
		suspects := map[string]bool{t.refused.pod.Name: true}
		if p := rb.memory.jobs[led.Job(t.job).Key]; p != nil {
			suspects = p.names
		}
		slices.SortStableFunc(t.items, func(a, b sched.Item) int {
			return policy.FalseFirst(suspects[b.Pod.Name], suspects[a.Pod.Name]) // suspects first
		})
	}
	return rest, ordered
}

// refusedBefore returns the gang that an item binds a member of, and what was refused of it; nil where nothing was.
func (rb *refusedBindings) refusedBefore(i sched.Item) (ledger.JobID, *refused) {
	led := rb.l.engine.Ledger()
	id, ok := led.Tasks.Find(i.Pod)
	if i.Kind != sched.BindPod || !ok || led.Task(id).Job == ledger.NoJob {
		return ledger.NoJob, nil
	}
	job := led.Task(id).Job
	if led.Job(job).MinMember < 2 && len(led.Job(job).Subs) == 0 {
		return job, nil
	}
	return job, rb.memory.of(led.Job(job))
}
