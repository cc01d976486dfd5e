package loop

import (
	"cmp"
	"slices"
	"time"

	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// mostStartsWritten bounds how many PodGroups are written after one estimate: any tenant may ask for any number.
const mostStartsWritten = 100

// startToWrite is an annotation that is to be written.
type startToWrite struct {
	group *schedulingv1beta1.PodGroup
	text  string
	last  time.Time // when it was written last; zero: never
	rank  int       // among those of its namespace
}

// writeStarts writes when jobs start on the PodGroups that ask for it (persisted.TellStart), where it moved by more
// than a step, at most once a minute for each, and at once where none was known. What is written there is all that has
// to be known of earlier estimates, so a restart changes nothing.
func (x *estimates) writeStarts(s *estimate.Starts) {
	if s == nil || x.l.observer == nil || !x.l.lead.leading() {
		return
	}
	var all []startToWrite
	for _, g := range observe.Starts(x.l.observer) {
		if w, moved := dueStart(s, g, x.l.now()); moved {
			all = append(all, w)
		}
	}
	for _, w := range acrossNamespaces(all, mostStartsWritten) {
		execute.WriteStart(x.l.executor, ledger.Key{Namespace: w.group.Namespace, Name: w.group.Name},
			string(w.group.UID), w.text)
	}
}

// dueStart is what is to be written on a PodGroup; false for nothing. A job that does not wait keeps what it was told
// last: its pods show that it has started, and another scheduler's job is none of ours.
func dueStart(s *estimate.Starts, g *schedulingv1beta1.PodGroup, now int64) (w startToWrite, moved bool) {
	w.group = g
	step, asked, _ := persisted.TellsStart(g.Annotations)
	was, told := persisted.ReadStart(g.Annotations[persisted.StartKey])
	if !asked {
		return w, g.Annotations[persisted.StartKey] != ""
	}
	k := ledger.JobKey{Namespace: g.Namespace, Name: g.Name}
	start, waits := s.Jobs[k]
	if !waits || s.GroupUID(k) != string(g.UID) {
		return w, false
	}
	is := written(start.At(now))
	if told && !was.Made.After(is.Made) {
		w.last = was.Made
		known := was.Earliest.IsZero() && !is.Earliest.IsZero()
		if !known && is.Made.Sub(was.Made) < persisted.LeastStep {
			return w, false
		}
	}
	w.text = is.Text()
	return w, !told || was.Moved(is, step)
}

// written is an estimate as it is written.
func written(s trace.Start) persisted.Start {
	out := persisted.Start{Made: time.Unix(0, s.Made).UTC().Truncate(time.Second), Unknown: string(s.Unknown)}
	if s.Latest != 0 {
		out.Latest = time.Unix(0, s.Latest).UTC().Truncate(time.Second)
	}
	if s.Earliest != 0 {
		out.Earliest, out.Source = time.Unix(0, s.Earliest).UTC().Truncate(time.Second), s.Source.String()
	}
	return out
}

// acrossNamespaces is the first of what is to be written: of each namespace one, then another one, those that were
// written longest ago first.
func acrossNamespaces(all []startToWrite, most int) []startToWrite {
	byAge := func(a, b startToWrite) int {
		return cmp.Or(a.last.Compare(b.last), cmp.Compare(a.group.Namespace, b.group.Namespace),
			cmp.Compare(a.group.Name, b.group.Name))
	}
	slices.SortFunc(all, byAge)
	turns := map[string]int{}
	for i := range all {
		all[i].rank = turns[all[i].group.Namespace]
		turns[all[i].group.Namespace]++
	}
	slices.SortFunc(all, func(a, b startToWrite) int { return cmp.Or(cmp.Compare(a.rank, b.rank), byAge(a, b)) })
	return all[:min(len(all), most)]
}
