package ledger

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/model"
)

// Runs remembers what the last two runs of each template of a user took: a guess of how long pods run that say nothing
// themselves. A run is a job's: of its pods of one template the one that ended last. Only pods that succeeded count:
// what was evicted, deleted or failed says nothing of how long it would have run, and a limit is known without it.
//
// A user of one namespace is another one in the next, so that no tenant has a say in what others are guessed to take.
// Whatever the order in which ends become known, the same is remembered.
type Runs struct {
	l *Ledger

	byKey   map[RunKey]lastRuns
	of      map[string][]RunKey // by namespace
	several map[string]bool     // the namespaces that have more than one
	ended   []endedPod          // that were not taken in yet
	fresh   []RunKey            // of which a run came to be known since the last cycle
	now     int64
	version uint64
	changed []RunKey // since TakeChanges; kept once that was called
	follows bool
}

// RunKey is what runs are told apart by: a user (label ashlar.sh/user; "" without) in a namespace, and a template.
type RunKey struct {
	Namespace string
	User      string `json:",omitempty"`
	Template  uint64
}

func (k RunKey) compare(o RunKey) int {
	return cmp.Or(cmp.Compare(k.Namespace, o.Namespace), cmp.Compare(k.User, o.User), cmp.Compare(k.Template, o.Template))
}

// Run is what a run took. Times are nanoseconds, Ended since the epoch.
type Run struct {
	Job         uint64 // tells runs apart
	Ended, Took int64  // Took: above 0
}

// later says that a run ended after another; of one moment the longer, then the one with the larger Job.
func (r Run) later(o Run) bool {
	return cmp.Or(cmp.Compare(r.Ended, o.Ended), cmp.Compare(r.Took, o.Took), cmp.Compare(r.Job, o.Job)) > 0
}

// lastRuns are two runs at most, the last one first; Took 0: none.
type lastRuns [2]Run

// endedPod is a pod that has succeeded, and the name of its job.
type endedPod struct {
	pod *model.Pod
	job JobKey
}

// mostRuns is for how many keys runs are remembered. Beyond it the namespace that has most of them loses its oldest,
// until there is some room again: so no tenant makes those of others forgotten.
const (
	mostRuns      = 1 << 12
	runsAfterTrim = mostRuns - mostRuns/16
)

// Of is what a task is expected to take by the last runs of its user and template, in nanoseconds; 0: nothing is known.
func (r *Runs) Of(t *Task) int64 {
	if len(r.byKey) == 0 || t.Job == NoJob || t.Pod.Template == 0 {
		return 0
	}
	return r.byKey[r.key(t.Pod, r.l.Jobs.GroupOf(t))].mean()
}

// mean is the mean of what is known; 0: nothing is.
func (x lastRuns) mean() int64 {
	a, b := x[0].Took, x[1].Took
	if b == 0 {
		return a
	}
	return a/2 + b/2 + (a%2+b%2)/2
}

// Version changes whenever an answer of Of may have changed otherwise than by the task's own facts.
func (r *Runs) Version() uint64 { return r.version }

func (r *Runs) key(p *model.Pod, group *model.PodGroup) RunKey {
	k := RunKey{Namespace: p.Namespace, Template: p.Template}
	if group != nil {
		k.User, _ = model.LabelValue(group.Labels, model.UserLabel)
	}
	if k.User == "" {
		k.User, _ = model.LabelValue(p.Labels, model.UserLabel)
	}
	return k
}

// see notes a pod that has succeeded. Its PodGroup may become known later: see take.
func (r *Runs) see(t *Task) {
	p := t.Pod
	if p.Phase == model.PodSucceeded && p.Template != 0 && p.Started > 0 && p.Times != nil && p.Times.Ended > p.Started &&
		t.Job != NoJob && !p.Deleting {
		r.ended = append(r.ended, endedPod{p, r.l.Jobs.rows[t.Job].Key})
	}
}

// take takes in the pods that have ended, by the facts that are known now.
func (r *Runs) take() {
	for _, e := range r.ended {
		var group *model.PodGroup
		if j, there := r.l.Jobs.Find(e.job); there {
			group = r.l.Jobs.rows[j].Group
		}
		r.add(r.key(e.pod, group), Run{Job: runOf(e.pod), Ended: e.pod.Times.Ended,
			Took: e.pod.Times.Ended - e.pod.Started})
	}
	clear(r.ended)
	r.ended = r.ended[:0]
}

// runOf tells the runs of a template apart: by the life of their controller and by their PodGroup, else by pods. Runs
// of a CronJob without PodGroups are one, since it is their top controller.
func runOf(p *model.Pod) uint64 {
	name := p.Group + "\xff" + p.OwnerID + "\xff"
	if p.Group == "" && p.OwnerID == "" {
		name += p.UID
	}
	return Hash(name + "\xff")
}

// add takes in a run. What is known of a run is what its last pod took.
func (r *Runs) add(k RunKey, run Run) {
	was := r.byKey[k]
	is := was
	switch {
	case is[0].Job == run.Job && is[0].Took != 0:
		if run.later(is[0]) {
			is[0] = run
		}
	case is[1].Job == run.Job && is[1].Took != 0:
		if run.later(is[1]) {
			is[1] = run
		}
	case run.later(is[1]) || is[1].Took == 0:
		is[1] = run
	}
	if is[1].Took != 0 && (is[0].Took == 0 || is[1].later(is[0])) {
		is[0], is[1] = is[1], is[0]
	}
	if is == was {
		return
	}
	if r.byKey == nil {
		r.byKey = map[RunKey]lastRuns{}
	}
	r.fresh = append(r.fresh, k)
	r.set(k, is)
}

// setKeys makes keys those of a namespace, at least one.
func (r *Runs) setKeys(namespace string, keys []RunKey) {
	if r.of == nil {
		r.of, r.several = map[string][]RunKey{}, map[string]bool{}
	}
	if r.of[namespace] = keys; len(keys) > 1 {
		r.several[namespace] = true
	} else {
		delete(r.several, namespace)
	}
}

// set makes runs those that are known of a key.
func (r *Runs) set(k RunKey, is lastRuns) {
	if _, known := r.byKey[k]; !known {
		r.setKeys(k.Namespace, append(r.of[k.Namespace], k))
	}
	r.byKey[k] = is
	r.noteChange(k)
}

// noteChange notes that what is known of a key is another.
func (r *Runs) noteChange(k RunKey) {
	r.version++
	if r.follows {
		r.changed = append(r.changed, k)
	}
}

// Begin takes in what ended before a cycle at a time, and forgets what is too much.
func (r *Runs) Begin(now int64) {
	r.take()
	if now < r.now {
		for k := range r.byKey { // order-free: each by itself
			r.rewind(k, now) // the clock was put back
		}
	}
	for _, k := range r.fresh {
		r.rewind(k, now)
	}
	r.now, r.fresh = now, r.fresh[:0]
	if len(r.byKey) > mostRuns {
		r.forget()
	}
}

// rewind makes ends of later than now, by another clock, ends of now: they would be the last ones for long.
func (r *Runs) rewind(k RunKey, now int64) {
	is := r.byKey[k]
	for i := range is {
		is[i].Ended = min(is[i].Ended, now)
	}
	if is[1].Took != 0 && is[1].later(is[0]) {
		is[0], is[1] = is[1], is[0]
	}
	if is != r.byKey[k] {
		r.set(k, is)
	}
}

// forget drops the oldest runs of those namespaces that have most. It looks at those alone that have more than one:
// where there are very many namespaces none has, but for what came since.
func (r *Runs) forget() {
	most, single := 1, len(r.of)-len(r.several)
	if len(r.of) <= runsAfterTrim {
		counts := make([]int, 0, len(r.several))
		for namespace := range r.several { // order-free: sorted below
			counts = append(counts, len(r.of[namespace]))
		}
		most = shareOf(counts, runsAfterTrim-single)
	}
	for namespace := range r.several { // order-free: each namespace by itself
		keys := r.of[namespace]
		if len(keys) <= most {
			continue
		}
		slices.SortFunc(keys, func(a, b RunKey) int {
			return cmp.Or(cmp.Compare(r.byKey[b][0].Ended, r.byKey[a][0].Ended), a.compare(b))
		})
		for _, k := range keys[most:] {
			delete(r.byKey, k)
			r.noteChange(k)
		}
		r.setKeys(namespace, slices.Clone(keys[:most]))
	}
}

// shareOf is the largest number such that no more than all are left when each has at most that number, 1 at least.
func shareOf(counts []int, all int) int {
	slices.Sort(counts)
	for i, n := range counts {
		if share := all / (len(counts) - i); n > share {
			return max(1, share)
		}
		all -= n
	}
	return all
}
