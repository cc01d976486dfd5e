package estimate

import (
	"fmt"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// foresee puts on the agenda what becomes of a pod that is there at the begin.
func (f *forward) foresee(t *ledger.Task) {
	p, soon := t.Pod, f.base+f.o.Period
	leaves := t.Commitment.Kind == ledger.CommitEvict
	switch {
	case p.Phase.Finished():
	case p.Deleting:
		if p.Overdue(f.base) {
			break // when it goes is not known
		}
		f.add(event{at: max(soon, p.Rare().GoneBy), what: gone, pod: t.Key, uid: p.UID})
	case leaves && p.Node != "":
		f.leave(podFact(p, 0), soon)
	case t.Commitment.Kind == ledger.CommitBind && p.Node == "":
		f.bind(podFact(p, 0), f.e.Ledger().Node(t.Commitment.Node).Name, soon)
	case t.Commitment.Kind == ledger.CommitOpen:
		f.open(podFact(p, 0))
	case p.Node != "" && p.Phase == model.PodPending:
		f.add(event{at: soon, what: runs, pod: t.Key, uid: p.UID})
	case p.Node != "":
		f.end(p, soon)
	}
	if group := f.e.Ledger().Jobs.GroupOf(t); !f.guessed && (p.Node != "" || p.Ours) {
		r := p.RunTime(group, f.e.Ledger().Tasks.Runs.Of(t), f.base)
		f.guessed = r.Expected != r.Limit
	}
}

func podFact(p *model.Pod, version uint64) model.Fact {
	return model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: p.Namespace, Name: p.Name}, UID: p.UID,
		Version: version, Object: p}
}

// end puts the end of a running pod on the agenda.
func (f *forward) end(p *model.Pod, soonest int64) {
	group, predicted := f.known(p)
	latest, expected, source := p.Ends(group, predicted, f.now)
	at, from := latest, model.TimeEnforced
	if f.guess && expected != model.Never {
		at, from = expected, source
	}
	if at != model.Never {
		f.add(event{at: max(at, soonest), what: ended, pod: ledger.Key{Namespace: p.Namespace, Name: p.Name}, uid: p.UID,
			source: from})
	}
}

// known is the PodGroup of a pod, nil without one, and what earlier runs tell of how long it runs, 0 for nothing.
func (f *forward) known(p *model.Pod) (group *model.PodGroup, predicted int64) {
	l := f.e.Ledger()
	if t, there := l.Tasks.Find(ledger.Key{Namespace: p.Namespace, Name: p.Name}); there {
		return l.Jobs.GroupOf(l.Task(t)), l.Tasks.Runs.Of(l.Task(t))
	}
	return nil, 0
}

// happen lets everything take place that is due, and says whether a pod has ended.
func (f *forward) happen() (some bool) {
	for f.agenda.Len() > 0 && f.agenda.First().at <= f.now {
		e := f.agenda.Pop()
		is, there := f.see(model.Ref{Kind: model.KindPod, Namespace: e.pod.Namespace, Name: e.pod.Name})
		if !there || is.UID != e.uid {
			continue
		}
		p := is.Object.(*model.Pod)
		switch over := p.Phase.Finished(); {
		case e.what == gone && (p.Deleting || p.Node != ""):
			f.vanish(is, p)
		case e.what == ended && !p.Deleting && !over:
			some, f.source = true, min(f.source, e.source)
			f.finish(is, p)
		case e.what == runs && p.Phase == model.PodPending && !p.Deleting:
			running := *p
			running.Phase, running.Healthy = model.PodRunning, true
			if running.Started == 0 {
				running.Started = e.at
			}
			is.Object = &running
			f.addFact(is)
			f.end(&running, e.at)
		}
	}
	return some
}

// finish ends a pod's run. One that has no guess within its limit fails: its kubelet ends it.
func (f *forward) finish(is model.Fact, p *model.Pod) {
	lasts, limit := p.Rare().Lasts, p.Rare().Limit
	if group, predicted := f.known(p); lasts == 0 {
		if group != nil {
			lasts, _ = group.Guess()
		}
		if lasts == 0 {
			lasts = predicted
		}
	}
	f.free(p)
	done := *p
	done.Phase = model.PodSucceeded
	if limit > 0 && (lasts == 0 || limit < lasts) {
		done.Phase = model.PodFailed
	}
	is.Object = &done
	f.addFact(is)
}

// vanish ends a pod's life, and begins that of the pod in its place, if it is replaced.
func (f *forward) vanish(is model.Fact, p *model.Pod) {
	f.free(p)
	key := ledger.Key{Namespace: p.Namespace, Name: p.Name}
	owned := p.OwnerID != "" || p.Owner != "" || p.Group != ""
	if f.o.Owned != nil {
		owned = f.o.Owned(key)
	}
	if !owned || p.Phase.Finished() {
		is.Object = nil
		f.addFact(is)
		return
	}
	f.births++
	f.addFact(podFact(p.Anew(fmt.Sprintf("estimated-%d", f.births), f.now), is.Version))
}

// free gives back what a pod had that is over.
func (f *forward) free(p *model.Pod) {
	if f.o.Freed != nil && p.Opaque != nil {
		f.follow(f.o.Freed(p, f.content))
	}
}

// bind has a pod run on a node from a time on.
func (f *forward) bind(is model.Fact, node string, from int64) {
	p := *is.Object.(*model.Pod)
	p.Node, p.Nominated = node, ""
	is.Object = &p
	f.addFact(is)
	f.add(event{at: from, what: runs, pod: ledger.Key{Namespace: p.Namespace, Name: p.Name}, uid: p.UID})
}

// open has a pod pass the gate of its queue.
func (f *forward) open(is model.Fact) {
	p := *is.Object.(*model.Pod)
	p.Gated, p.QueueGate = false, model.QueueGateOpen
	is.Object = &p
	f.addFact(is)
}

// leave has a pod asked to leave.
func (f *forward) leave(is model.Fact, soonest int64) {
	p := *is.Object.(*model.Pod)
	p.Deleting = true
	if f.o.Graces {
		times := p.Rare()
		times.GoneBy = max(soonest, model.After(f.now, p.Grace))
		p.SetRare(times)
		soonest = times.GoneBy
	}
	is.Object = &p
	f.addFact(is)
	f.add(event{at: soonest, what: gone, pod: ledger.Key{Namespace: p.Namespace, Name: p.Name}, uid: p.UID})
}

// obey does what an item of a plan asks for. It shows in the next cycle.
func (f *forward) obey(i sched.Item) sched.Outcome {
	if i.Kind == sched.SetPhase {
		return f.setPhase(i)
	}
	is, there := f.see(model.Ref{Kind: model.KindPod, Namespace: i.Pod.Namespace, Name: i.Pod.Name})
	if !there || is.UID != i.UID {
		return sched.Missing
	}
	pod := *is.Object.(*model.Pod)
	switch i.Kind {
	case sched.BindPod:
		f.bind(is, i.Node, f.now+f.o.Period)
		if i.Chosen != "" && f.o.Written != nil {
			f.follow(f.o.Written(i, f.content))
		}
		return sched.Done
	case sched.EvictPod:
		if !pod.Deleting {
			f.leave(is, f.now+f.o.Period)
		}
		return sched.Done
	case sched.NominatePod:
		pod.Nominated = i.Node
	case sched.OpenGate:
		f.open(is)
		return sched.Done
	default:
		return sched.Done
	}
	is.Object = &pod
	f.addFact(is)
	return sched.Done
}

func (f *forward) setPhase(i sched.Item) sched.Outcome {
	is, there := f.see(model.Ref{Kind: model.KindPodGroup, Namespace: i.Group.Namespace, Name: i.Group.Name})
	if !there || is.UID != i.UID {
		return sched.Missing
	}
	group := *is.Object.(*model.PodGroup)
	group.Phase = i.Phase
	is.Object = &group
	f.addFact(is)
	return sched.Done
}
