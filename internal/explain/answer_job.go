package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// JobAnswer is why a job waits, or where it runs.
func (a *Asking) JobAnswer(w *sched.JobWhy) *Answer {
	j := &w.Job
	out := a.answer(Subject{Kind: "job", Namespace: j.Namespace, Name: cmp.Or(j.Shown, j.Name)})
	out.Places = placesOf(w.Pods)
	t := tallyOf(j)
	if j.Reason.Waits() {
		r := reason(j.Reason)
		out.Reason, out.Start = &r, NewStart(&j.Start, a.Now)
	}
	out.State, out.Summary = a.stand(w, t, out.Places)
	if out.State != Finished {
		out.Path = a.path(w, t, out.State)
	}
	out.wrong(w.Problems)
	return out
}

// jobTally counts the pods of a job.
type jobTally struct {
	total, placed, going, deciding, ended, waiting int
}

func tallyOf(j *sched.JobReport) (t jobTally) {
	for s, n := range j.Tasks {
		t.total += int(n)
		switch model.Status(s) {
		case model.Running, model.Bound, model.Unknown:
			t.placed += int(n)
		case model.Binding, model.Allocated:
			t.deciding += int(n)
		case model.Releasing:
			t.going += int(n)
		case model.Succeeded, model.Failed:
			t.ended += int(n)
		default:
			t.waiting += int(n)
		}
	}
	return t
}

// stand is a job's state, and the sentence that says it.
func (a *Asking) stand(w *sched.JobWhy, t jobTally, places []Place) (State, string) {
	j := &w.Job
	runs := t.placed > 0 && t.placed+int(j.Tasks[model.Succeeded]) >= int(j.MinMember)
	waits := j.Reason.Waits()
	switch {
	case t.total > 0 && t.ended == t.total || j.Phase == model.GroupCompleted:
		return Finished, fmt.Sprintf("it is over: %s ended", Count(t.ended, "pod"))
	case runs && !waits:
		return Runs, fmt.Sprintf("it runs: %s%s%s", ofAll(t.placed, t.total), on(places), a.since(firstStart(w.Pods)))
	case runs:
		return Runs, fmt.Sprintf("it runs with %s%s%s; of the others: %s", ofAll(t.placed, t.total), on(places),
			a.since(firstStart(w.Pods)), Sentence(j.Reason))
	case t.deciding > 0 && (!waits || t.placed+t.deciding+int(j.Tasks[model.Succeeded]) >= int(j.MinMember)):
		text := fmt.Sprintf("nothing is in its way: %s%s", Count(t.deciding, "pod"), goes(t.deciding, places))
		if waits {
			text += "; of the others: " + Sentence(j.Reason)
		}
		return Starts, text
	case waits:
		return stopOf(j.Reason).state, Sentence(j.Reason)
	case w.Asks == nil && t.going > 0:
		return Finished, fmt.Sprintf("it is ending: %s terminating", isAre(t.going, "pod"))
	}
	return Unclear, fmt.Sprintf("nothing is known to be in its way; its phase is %s", j.Phase)
}

func ofAll(n, total int) string {
	if n == total {
		return Count(n, "pod")
	}
	return fmt.Sprintf("%d of %s", n, Count(total, "pod"))
}

func on(places []Place) string {
	if len(places) == 0 {
		return ""
	}
	return " on " + listed(places)
}

func goes(n int, places []Place) string {
	verb := " go to "
	if n == 1 {
		verb = " goes to "
	}
	return verb + listed(places)
}

// listed is "n1 ×2, n2".
func listed(places []Place) string {
	s := spread{}
	for _, p := range places {
		s[p.Node] = p.Pods
	}
	return s.String()
}

// placesOf counts the pods on each node, by name.
func placesOf(pods []sched.PodReport) []Place {
	out := []Place{}
	for _, p := range pods {
		if p.Node == "" || p.Status == model.Succeeded || p.Status == model.Failed {
			continue
		}
		out = onePod(out, p.Node)
	}
	return out
}

// onePod adds a pod on a node.
func onePod(list []Place, node string) []Place {
	i, known := slices.BinarySearchFunc(list, node, func(x Place, node string) int { return cmp.Compare(x.Node, node) })
	if !known {
		list = slices.Insert(list, i, Place{Node: node})
	}
	list[i].Pods++
	return list
}

func firstStart(pods []sched.PodReport) (first int64) {
	for _, p := range pods {
		if p.Started > 0 && (first == 0 || p.Started < first) && p.Status == model.Running {
			first = p.Started
		}
	}
	return first
}

// path is the decisions on a job's way, as far as it came.
func (a *Asking) path(w *sched.JobWhy, t jobTally, state State) []Step {
	r := w.Job.Reason
	stop := stopOf(r).step
	if !r.Waits() {
		stop = ""
	}
	all := []Step{podsStep(w, t), queueStep(w), admissionStep(w), orderStep(w), shareStep(w)}
	all = append(all, placeSteps(r)...)
	all = append(all, a.evictionStep(w))
	var out []Step
	stopped := false
	for _, s := range all {
		switch {
		case s.Name == stop:
			stopped, s.Verdict = true, Refused
			if s.Name == stepShare && s.Text != "" {
				s.Details, s.Text = []string{s.Text}, ""
			}
			if s.Text == "" || len(s.Details) == 0 {
				s.Text = innermost(r)
			}
		case s.Name == stepEviction, s.Verdict == Refused:
		case s.Name == stepNodes || s.Name == stepTopology || s.Name == stepGang:
			if s.Text == "" {
				continue // the reason does not speak of it
			}
		case stopped:
			s.Verdict = NotReached
		}
		if s.Text != "" && s.Verdict != NotReached {
			out = append(out, s)
		}
	}
	return append(out, startStep(w, t, state, stop))
}

// innermost is the sentence of what stops a job, without what leads to it.
func innermost(r trace.Reason) string {
	if r.Never != nil {
		return sentence(*r.Never)
	}
	return sentence(*r.Root())
}

func podsStep(w *sched.JobWhy, t jobTally) Step {
	s := Step{Name: stepPods, Verdict: Passed, Text: fmt.Sprintf("%s, and %d must start together", exist(t.total),
		w.Job.MinMember)}
	if w.Job.MinMember <= 1 {
		s.Text = exist(t.total)
	}
	if w.Job.Reason.Is() && stopOf(w.Job.Reason).step == stepObject {
		s.Name = stepObject
	}
	return s
}

func exist(n int) string {
	if n == 1 {
		return "1 pod exists"
	}
	return fmt.Sprintf("%d pods exist", n)
}

func queueStep(w *sched.JobWhy) Step {
	if w.Gate.Is() {
		return Step{Name: stepQueue, Verdict: Refused, Text: Sentence(w.Gate)}
	}
	return Step{Name: stepQueue, Verdict: Passed, Text: fmt.Sprintf("queue %s is open", w.Job.Queue)}
}

func admissionStep(w *sched.JobWhy) Step {
	s := Step{Name: stepAdmission, Verdict: Passed, Text: "it was admitted"}
	switch {
	case !w.Enqueue:
		s.Text = "the configuration has no action enqueue: every job is admitted"
	case !w.Admitted && !w.Job.Reason.Is():
		s.Text, s.Verdict = "", NotReached
	}
	return s
}

// orderStep says where a job stands among those that wait.
func orderStep(w *sched.JobWhy) Step {
	st := &w.Standing
	s := Step{Name: stepOrder, Verdict: Told}
	if st.Turn == 0 {
		return s
	}
	s.Text = fmt.Sprintf("queue %s is served first", w.Job.Queue)
	if st.Turn > 1 {
		s.Text = fmt.Sprintf("queue %s is served number %d of the %d queues in which jobs wait", w.Job.Queue, st.Turn,
			st.Queues)
	} else if st.Queues > 1 {
		s.Text += fmt.Sprintf(" of the %d queues in which jobs wait", st.Queues)
	}
	s.Text += "; " + ahead(&st.Ahead)
	return s
}

// ahead says how many jobs come before one, and what they ask for.
func ahead(of *sched.Ahead) string {
	switch of.Jobs {
	case 0:
		return "no job in it comes before this one"
	case 1:
		return fmt.Sprintf("1 job in it comes before this one: %s, %s", of.First, podsAsk(of.FirstPods, of.FirstAsks))
	}
	return fmt.Sprintf("%d jobs in it come before this one, %s; the first is %s, %s", of.Jobs,
		podsAsk(of.Pods, of.Asks), of.First, podsAsk(of.FirstPods, of.FirstAsks))
}

// podsAsk is "with 40 pods that ask for cpu 160, memory 640Gi".
func podsAsk(pods int, asks resource.List) string {
	switch pods {
	case 0:
		return "which has no pods yet"
	case 1:
		return "with 1 pod that asks for " + amountsOf(asks)
	}
	return fmt.Sprintf("with %d pods that ask for %s", pods, amountsOf(asks))
}

// amountsOf is "cpu 4, memory 16Gi", places for pods left out.
func amountsOf(list resource.List) string {
	var parts []string
	for _, dim := range dims(amounts(list)) {
		if dim != resource.PodsName {
			parts = append(parts, dim+" "+amounts(list)[dim])
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// shareStep says what its queue holds of what the job asks for.
func shareStep(w *sched.JobWhy) Step {
	s := Step{Name: stepShare, Verdict: Passed}
	q := &w.Queue
	if q.Name == "" {
		return s
	}
	held, deserved, most := amounts(q.Allocated), amounts(q.Deserved), limits(q.Capability)
	var parts []string
	for _, dim := range dims(amounts(w.Asks)) {
		if dim == resource.PodsName {
			continue
		}
		text := fmt.Sprintf("%s %s", dim, cmp.Or(short(dim, held[dim]), "0"))
		if deserved[dim] != "" {
			text += " of " + short(dim, deserved[dim]) + " deserved"
		}
		if bound, bounded := most[dim]; bounded {
			text += ", at most " + short(dim, bound)
		}
		parts = append(parts, text)
	}
	if len(parts) > 0 {
		s.Text = fmt.Sprintf("queue %s holds %s", q.Name, strings.Join(parts, "; "))
	}
	return s
}

// placeSteps says how nodes, domains and the gang refused, as far as the reason speaks of them.
func placeSteps(r trace.Reason) []Step {
	nodesOf, domains, gang := Step{Name: stepNodes}, Step{Name: stepTopology}, Step{Name: stepGang}
	root := r.Root()
	switch {
	case root.Code.OfTopology():
		domains.Verdict, domains.Text = Refused, sentence(*root)
	case root.Code.OfNodes() && len(root.Nodes) > 0:
		nodesOf.Verdict = Refused
		nodesOf.Text = total(*root)
		if root.Task != "" {
			nodesOf.Text += " (" + root.Task + ")"
		}
		for _, c := range root.Nodes {
			nodesOf.Details = append(nodesOf.Details, besideGang(r, counted(c, *root)))
		}
	case root.Code.OfNodes():
		nodesOf.Verdict, nodesOf.Text = Refused, sentence(*root)
	}
	if r.Code == trace.GangIncomplete {
		gang.Verdict = Refused
		gang.Text = fmt.Sprintf("%d of the %d pods that start together have room%s", r.Have, r.Need, tried(r.Tried))
	}
	if r.Never != nil {
		switch stops[r.Never.Code].step {
		case stepNodes:
			nodesOf.Verdict, nodesOf.Text = Refused, sentence(*r.Never)
		case stepGang:
			gang.Verdict, gang.Text = Refused, sentence(*r.Never)
		}
	}
	return []Step{nodesOf, domains, gang}
}

// evictionStep says which pods leave for the job, or why none does.
func (a *Asking) evictionStep(w *sched.JobWhy) Step {
	s := Step{Name: stepEviction, Verdict: Told}
	if !w.Job.Reason.Waits() {
		return s
	}
	name := w.Job.Namespace + "/" + cmp.Or(w.Job.Shown, w.Job.Name)
	for _, e := range a.Evicted {
		if e.PreemptorJob == name {
			s.Details = append(s.Details, e.Task+": "+Evicted(e))
		}
	}
	switch next := w.Job.Reason.Evicting; {
	case len(s.Details) > 0:
		s.Verdict, s.Text = Passed, isAre(len(s.Details), "pod")+" evicted for it"
	case next != nil && next.Is():
		s.Verdict, s.Text = Refused, "no pod is evicted for it"
		for ; next != nil && next.Is(); next = next.Evicting {
			s.Details = append(s.Details, next.Text+": "+unnamed(*next, w.Job.Reason.Task))
		}
	case len(w.Evicting) == 0 && evictionsHelp(stopOf(w.Job.Reason).step):
		s.Text = "no action of the configuration evicts pods for others"
	case len(w.Evicting) > 0 && !w.Starves && w.Job.HasMinimum() && evictionsHelp(stopOf(w.Job.Reason).step):
		s.Text = "it has the pods that it needs to run: none is evicted for more of them"
	case stopOf(w.Job.Reason).state == WaitsForRoom && w.Job.Reason.Root().Code.OfNodes():
		s.Text = "no pod was evicted for it in this cycle"
	}
	return s
}

// evictionsHelp says that pods that leave could let a job that stops at a step go on.
func evictionsHelp(step string) bool {
	return step == stepShare || step == stepNodes || step == stepGang || step == stepTopology
}

// startStep says where it runs or goes.
func startStep(w *sched.JobWhy, t jobTally, state State, stop string) Step {
	s := Step{Name: stepStart, Verdict: NotReached, Text: "it has no place"}
	where := listed(placesOf(w.Pods))
	switch {
	case state == Runs:
		s.Verdict, s.Text = Passed, fmt.Sprintf("%s on %s", ofAll(t.placed, t.total), where)
	case state == Starts:
		s.Verdict, s.Text = Passed, fmt.Sprintf("the next cycle binds %s: %s", Count(t.deciding, "pod"), where)
	case stop == stepStart:
		s.Verdict, s.Text = Refused, sentence(w.Job.Reason)
	}
	return s
}
