package cli

import (
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// podEvictions collects the evictions of one pod from cycles, as they come.
type podEvictions struct {
	pod   ledger.Key
	found []*explain.EvictionWhy // the oldest first
	names []named                // of all pods that were evicted
}

// cycle notes the evictions of a plan; engine is as the cycle left it.
func (e *podEvictions) cycle(number int, when string, plan sched.Plan, engine *sched.Engine) {
	if !slices.ContainsFunc(plan.Items, func(i sched.Item) bool { return i.Kind == sched.EvictPod }) {
		return
	}
	records := evictionsOf(plan)
	for _, i := range plan.Items {
		if i.Kind != sched.EvictPod {
			continue
		}
		if n := (named{i.Pod.Namespace, i.Pod.Name}); !slices.Contains(e.names, n) {
			e.names = append(e.names, n)
		}
		if i.Pod != e.pod {
			continue
		}
		why := &explain.EvictionWhy{Namespace: i.Pod.Namespace, Name: i.Pod.Name, When: when, Cycle: number, Record: i.Record,
			Beside: records, Message: i.Action}
		if i.Record != nil {
			why.Queues = queuesOf(engine, i.Record)
		}
		e.found = append(e.found, why)
	}
}

// queuesOf are the victim's queue and that of the pod which gets its room.
func queuesOf(engine *sched.Engine, r *trace.Eviction) (out []sched.QueueReport) {
	for _, q := range engine.Queues() {
		if q.Name == r.Queue || q.Name == r.PreemptorQueue {
			out = append(out, q)
		}
	}
	return out
}

// last is the newest of them, with the others as a note; an error where there is none. where is what was looked at.
func (e *podEvictions) last(s *situation, where string) (*explain.EvictionWhy, error) {
	if len(e.found) == 0 {
		s.namespace = e.pod.Namespace
		return nil, fmt.Errorf("%w; %s", s.unknown("evicted pod", e.pod.Name, e.names), where)
	}
	out := e.found[len(e.found)-1]
	if len(e.found) > 1 {
		text := fmt.Sprintf("a pod of this name was evicted %d times; before that at", len(e.found))
		const most = 6
		for i, w := range e.found[max(len(e.found)-1-most, 0) : len(e.found)-1] {
			if i > 0 {
				text += ","
			}
			text += " " + w.When
		}
		out.Notes = append(out.Notes, text)
	}
	return out, nil
}

// since adds what the engine knows of the pod now, and of the one that has its room.
func (s *situation) since(w *explain.EvictionWhy) {
	if now := s.podNow(ledger.Key{Namespace: w.Namespace, Name: w.Name}); now != nil {
		w.Since = append(w.Since, explain.Became(now))
	} else {
		w.Since = append(w.Since, w.Namespace+"/"+w.Name+": it has gone, and no pod of that name was made again")
	}
	if w.Record == nil || w.Record.Preemptor == "" {
		return
	}
	if now := s.podNow(podKey(w.Record.Preemptor)); now != nil {
		w.Since = append(w.Since, explain.Became(now))
	} else {
		w.Since = append(w.Since, w.Record.Preemptor+": it has gone")
	}
}

// evictionQuestions are the questions about evictions.
type evictionQuestions struct{ questions }

// why finds the eviction of a pod in a source, and what came of it.
func (p evictionQuestions) why(a asked) (*explain.Answer, error) {
	switch {
	case len(a.files) > 0:
		return p.inFiles(a)
	case a.dump != "":
		return p.inDump(a)
	default:
		return p.inCluster(a)
	}
}

// inFiles simulates.
func (p evictionQuestions) inFiles(a asked) (*explain.Answer, error) {
	s, in, err := p.fromFiles(a.source)
	if err != nil {
		return nil, err
	}
	found := &podEvictions{pod: ledger.Key{Namespace: s.namespace, Name: a.name}}
	in.see = func(c sim.Cycle, w *sim.World) {
		found.cycle(c.Number, explain.Duration(c.At).String(), c.Plan, w.Engine())
	}
	if err := p.decide(s, in); err != nil {
		return nil, err
	}
	return s.evictionAnswer(found, "the simulation evicts no pod")
}

// evictionAnswer answers by what was collected.
func (s *situation) evictionAnswer(found *podEvictions, where string) (*explain.Answer, error) {
	if len(found.names) > 0 {
		where = "evicted was 1 other"
		if n := len(found.names); n > 1 {
			where = fmt.Sprintf("evicted were %d others", n)
		}
	}
	why, err := found.last(s, where)
	if err != nil {
		return nil, badInput("error: " + err.Error())
	}
	s.since(why)
	return s.asking.EvictionAnswer(why), nil
}

// podKey is the key of namespace/name.
func podKey(name string) ledger.Key {
	namespace, name, _ := strings.Cut(name, "/")
	return ledger.Key{Namespace: namespace, Name: name}
}
