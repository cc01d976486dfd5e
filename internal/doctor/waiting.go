package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// State is the cluster as the engine sees it after one cycle.
type State struct {
	Engine *sched.Engine
	Pods   []*corev1.Pod // those of the schedulers that are looked at
}

// unread is a look for which too little may be read.
func (v *Visit) unread(name string) Check {
	return Check{Name: name, Status: NotAllowed, Message: v.Unread,
		Do: "ask somebody who may list pods, PodGroups, queues and nodes"}
}

// queues finds those that can never serve a job.
func queues(_ context.Context, v *Visit) Check {
	out := Check{Name: "queues", Status: OK, Do: "ashlar why queue NAME says more; jobs that name them wait for ever"}
	if v.State == nil {
		return v.unread(out.Name)
	}
	all := v.State.Engine.Queues()
	bad, closed := 0, 0
	for i := range all {
		q := &all[i]
		if q.Name == model.RootQueue {
			continue
		}
		why, _ := v.State.Engine.QueueWhy(q.Name)
		text := ""
		switch why.Gate.Code {
		case trace.None:
			text = nothing(q)
		case trace.QueueNotOpen:
			closed++
		case trace.QueueNotLeaf:
		default:
			text = explain.Sentence(why.Gate)
		}
		if text != "" {
			out.Details = few(out.Details, bad, "queue %s: %s", q.Name, text)
			bad++
		}
	}
	out.Message = fmt.Sprintf("all %d can serve jobs", len(all))
	if closed > 0 {
		out.Message = fmt.Sprintf("all %d can serve jobs, but for %d that are closed", len(all), closed)
	}
	if bad > 0 {
		out.Status, out.Message = Warning, fmt.Sprintf("%d of %d can never serve a job", bad, len(all))
	}
	return out
}

// nothing says that a queue may hold none of what every pod needs; "" otherwise.
func nothing(q *sched.QueueReport) string {
	for _, list := range []resource.List{q.Capability, q.RealCapability} {
		for _, a := range list {
			if a.Value == 0 && (a.Name == resource.CPUName || a.Name == resource.MemoryName) {
				return "it may hold no " + a.Name
			}
		}
	}
	return ""
}

// held is how long a gate may stand until it counts as stuck.
const held = time.Hour

// gates finds pods that scheduling gates have held back for long.
func gates(_ context.Context, v *Visit) Check {
	out := Check{Name: "gates", Status: OK, Message: "no pod is held back by a scheduling gate for more than " +
		held.String(),
		Do: "look for the controller that should remove the gate, or remove it: kubectl edit pod"}
	if v.State == nil {
		return v.unread(out.Name)
	}
	stuck := 0
	pods := slices.Clone(v.State.Pods)
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return a.CreationTimestamp.Time.Compare(b.CreationTimestamp.Time)
	})
	for _, p := range pods {
		age := v.now().Sub(p.CreationTimestamp.Time)
		if len(p.Spec.SchedulingGates) == 0 || p.DeletionTimestamp != nil || age < held {
			continue
		}
		out.Details = few(out.Details, stuck, "pod %s/%s: gate %s, for %s", p.Namespace, p.Name,
			p.Spec.SchedulingGates[0].Name,
			age.Round(time.Minute))
		stuck++
	}
	if stuck > 0 {
		out.Status, out.Message = Warning, fmt.Sprintf("%s held back by scheduling gates for more than %s",
			explain.Count(stuck, "pod"), held)
	}
	return out
}
