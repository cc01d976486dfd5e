package sim

import (
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// execute carries out a plan, item by item, and reports on each at once.
func (w *World) execute(plan sched.Plan) {
	receipts := make([]sched.Receipt, 0, len(plan.Items))
	for _, i := range plan.Items {
		receipts = append(receipts, sched.Receipt{Item: i, Outcome: w.obey(i)})
	}
	w.engine.Receive(receipts...)
}

// obey does what an item asks for. It shows in the next cycle.
func (w *World) obey(i sched.Item) sched.Outcome {
	if i.Kind == sched.SetPhase {
		return w.setPhase(i)
	}
	l := w.objects.lives[podRef(i.Pod)]
	if l == nil || l.pod() == nil || l.uid != i.UID {
		return sched.Missing
	}
	pod := *l.pod()
	switch i.Kind {
	case sched.BindPod:
		if !w.objects.hasNode(i.Node) || pod.Node != "" || pod.Deleting {
			return sched.Failed
		}
		pod.Node, pod.Nominated = i.Node, ""
		w.bound++
		w.objects.agenda.add(w.shows, start, l.ref, l)
		w.write(i)
	case sched.EvictPod:
		if pod.Deleting {
			return sched.Done
		}
		w.evictions = append(w.evictions, w.eviction(i))
		pod.Deleting = true
		w.objects.agenda.add(w.shows, vanish, l.ref, l)
	case sched.NominatePod:
		pod.Nominated = i.Node
	case sched.OpenGate:
		pod.Gated, pod.QueueGate = false, model.QueueGateOpen
	}
	w.objects.change(l, &pod)
	return sched.Done
}

// write makes true what a book chose for a pod: it shows with the pod's node.
func (w *World) write(bind sched.Item) {
	if bind.Chosen != "" && w.written != nil {
		w.comeTrue(w.written(bind, w.content))
	}
}

// free gives back what a pod had that is over.
func (w *World) free(pod *model.Pod) {
	if w.freed != nil && pod.Opaque != nil {
		w.comeTrue(w.freed(pod, w.content))
	}
}

// comeTrue lets facts about opaque objects come true: in those that are there at once, so
// that what follows next builds on them.
func (w *World) comeTrue(facts []model.Fact) {
	for _, f := range facts {
		l := w.objects.lives[f.Ref]
		o, opaque := f.Object.(*model.Opaque)
		if l == nil || !opaque {
			w.Submit(Item{Fact: f, SubmitAt: w.now})
			continue
		}
		w.objects.change(l, &model.Opaque{Meta: *l.object.Common(), Content: o.Content})
	}
}

// content is what an object that only PluginStates understand is now; nil when there is none.
func (w *World) content(r model.Ref) any {
	if l := w.objects.lives[r]; l != nil {
		if o, ok := l.object.(*model.Opaque); ok {
			return o.Content
		}
	}
	return nil
}

func (w *World) setPhase(i sched.Item) sched.Outcome {
	l := w.objects.lives[model.Ref{Kind: model.KindPodGroup, Namespace: i.Group.Namespace, Name: i.Group.Name}]
	if l == nil || l.uid != i.UID {
		return sched.Missing
	}
	g, ok := l.object.(*model.PodGroup)
	if !ok {
		return sched.Missing
	}
	changed := *g
	changed.Phase = i.Phase
	w.objects.change(l, &changed)
	return sched.Done
}

// eviction describes an eviction by what the engine holds of the pod while it is there.
func (w *World) eviction(i sched.Item) Eviction {
	e := Eviction{Cycle: w.number(), Time: w.now, Pod: i.Pod, Action: i.Action, Record: i.Record}
	l := w.engine.Ledger()
	if job, ok := w.jobOf(i.Pod); ok {
		e.Job, e.Queue = l.Jobs.Name(job), l.Queue(l.Job(job).Queue).Name
	}
	if job, ok := w.jobOf(i.Preemptor); ok {
		e.PreemptorJob = l.Jobs.Called(job)
	}
	return e
}

func (w *World) jobOf(pod ledger.Key) (ledger.JobID, bool) {
	l := w.engine.Ledger()
	t, ok := l.Tasks.Find(pod)
	if !ok {
		return ledger.NoJob, false
	}
	return l.Task(t).Job, l.Task(t).Job != ledger.NoJob
}

func podRef(k ledger.Key) model.Ref {
	return model.Ref{Kind: model.KindPod, Namespace: k.Namespace, Name: k.Name}
}
