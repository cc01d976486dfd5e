package loop

import (
	"cmp"

	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// inheritBackoffs makes new jobs begin in a backoff, before anything is decided about them, if pods of their controller
// were refused or if they have a record of a refusal.
func (rb *refusedBindings) inheritBackoffs(facts []model.Fact) {
	for _, f := range facts {
		switch o := f.Object.(type) {
		case *model.PodGroup:
			rb.inheritRecorded(o)
		case *model.Pod:
			if len(rb.memory.by) > 0 && o.Ours && o.Node == "" {
				rb.inheritOfController(o)
			}
		}
	}
}

// inheritOfController has a pod's job in a backoff where its controller's last one was.
func (rb *refusedBindings) inheritOfController(p *model.Pod) {
	led := rb.l.engine.Ledger()
	id, ok := led.Tasks.Find(keyOf(p))
	if !ok || led.Task(id).Job == ledger.NoJob {
		return
	}
	job := led.Job(led.Task(id).Job)
	group := job.GroupUID()
	if rb.wasComplete(job) {
		if e := rb.memory.by[life{p.Namespace, group}]; e != nil {
			rb.inheritOfPod(job, e, p.UID, keyOf(p))
		}
		return
	}
	e := rb.memory.by[life{p.Namespace, rb.controllerOf(keyOf(p), p.UID)}]
	if e == nil || max(e.next, e.noMore) <= rb.l.now() {
		return
	}
	if had := rb.memory.jobs[job.Key]; had != nil && had.group == group || e.group != group && !e.passed(led) {
		return
	}
	of := *e
	of.life, of.job, of.group = life{p.Namespace, cmp.Or(group, e.controller)}, job.Key, group
	rb.memory.add(&of)
	rb.backoffOfWhole(job.Key, group, &of)
}

// inheritOfPod has a pod of a job that goes on in a backoff alone, if it is the pod that was refused last or, where
// that is gone, may stand for it: one of the same controller.
func (rb *refusedBindings) inheritOfPod(job *ledger.Job, e *refused, uid string, pod ledger.Key) {
	if e.group != job.GroupUID() || e.controller != rb.controllerOf(pod, uid) || e.pod != pod && rb.waitsIn(job, e.pod) {
		return
	}
	p := rb.memory.jobs[job.Key]
	if p == nil || p.group != e.group {
		p = &jobBackoff{group: e.group, names: map[string]bool{}}
		rb.memory.jobs[job.Key] = p
	}
	if p.pods == nil {
		p.pods = map[string]ledger.Key{}
	}
	p.why, p.pods[uid], p.names[pod.Name] = e, pod, true
	rb.setBackoff(job.Key, p)
}

// waitsIn says that a pod is a member of a job and has no node.
func (rb *refusedBindings) waitsIn(job *ledger.Job, pod ledger.Key) bool {
	led := rb.l.engine.Ledger()
	id, ok := led.Tasks.Find(pod)
	if !ok || led.Task(id).Pod.Node != "" || led.Task(id).Job == ledger.NoJob {
		return false
	}
	return led.Job(led.Task(id).Job).Key == job.Key
}

// wasComplete is complete, by what the job's PodGroup shows, too: after a start this process has seen nothing yet.
func (rb *refusedBindings) wasComplete(job *ledger.Job) bool {
	if rb.complete(job) {
		return true
	}
	shown := rb.l.observer.PodGroup(job.Key.Namespace, job.Key.Name)
	of := reportedJob{uid: job.GroupUID()}
	return shown != nil && string(shown.UID) == of.uid && of.hadMinimum(shown)
}

func (rb *refusedBindings) backoffOfWhole(k ledger.JobKey, group string, e *refused) {
	p := &jobBackoff{group: group, why: e, names: map[string]bool{e.pod.Name: true}}
	rb.memory.jobs[k] = p
	rb.setBackoff(k, p)
}

// inheritRecorded goes on with what an earlier scheduler has recorded on a PodGroup.
func (rb *refusedBindings) inheritRecorded(g *model.PodGroup) {
	k := ledger.JobKey{Namespace: g.Namespace, Name: g.Name}
	if t := rb.l.reported.jobs[k]; t != nil && t.uid == g.UID &&
		(ran(g.Phase) || g.Phase == model.GroupUnknown && !t.origin.unknown) {
		t.complete = true
	}
	had := rb.memory.by[life{g.Namespace, g.UID}]
	if had != nil && rb.l.acting {
		return
	}
	shown := rb.l.observer.PodGroup(g.Namespace, g.Name)
	r, ok := recordOf(shown, g.UID)
	if had != nil { // another one acts, and knows better
		rb.memory.forget(had)
		if p := rb.memory.jobs[k]; p != nil {
			rb.endBackoff(k, p)
		}
	}
	if !ok {
		return
	}
	now := rb.l.now()
	e := &refused{tries: min(r.Tries, 1<<10), next: min(r.Next.UnixNano(), now+int64(longestBackoff)), answer: r.Answer,
		pod: ledger.Key{Namespace: g.Namespace, Name: r.Pod}, life: life{g.Namespace, g.UID}, job: k, group: g.UID,
		controller: r.Controller}
	rb.memory.add(e)
	of := reportedJob{uid: g.UID}
	if e.next > now && !of.hadMinimum(shown) {
		rb.backoffOfWhole(k, g.UID, e)
		return
	}
	led := rb.l.engine.Ledger()
	if id, there := led.Tasks.Find(e.pod); there && led.Task(id).Job != ledger.NoJob {
		if job := led.Job(led.Task(id).Job); job.Key == k && rb.waitsIn(job, e.pod) {
			rb.inheritOfPod(job, e, led.Task(id).Pod.UID, e.pod)
		}
	}
}

// recordOf is the record on a PodGroup of that life; false where there is none that says something.
func recordOf(group *schedulingv1beta1.PodGroup, uid string) (persisted.RefusedBinds, bool) {
	if group == nil || string(group.UID) != uid {
		return persisted.RefusedBinds{}, false
	}
	text, there := group.Annotations[persisted.RefusedBindsKey]
	if !there {
		return persisted.RefusedBinds{}, false
	}
	r, err := persisted.ReadRefusedBinds(text)
	return r, err == nil && r.UID == uid
}
