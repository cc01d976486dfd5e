package whatif

import (
	"slices"
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// What the owner of the job can change.

// mostChoices bounds how many alternatives of one kind are tried: taints, labels, classes, queues, jobs.
const mostChoices = 4

// gang: fewer members at least. n is how many fewer.
func (s *Search) gang() {
	_, _, job := s.job()
	min, ready := int64(job.MinMember), int64(max(0, job.Ready()))
	guess := int64(1)
	if r := &s.why; r.Code == trace.GangIncomplete || r.Code == trace.NotEnoughTasks {
		guess = int64(r.Need - r.Have)
	}
	s.leastOf(guess, min-max(1, ready+1), func(n int64) trace.Change {
		return trace.Change{Kind: trace.ChangeGang, From: min, To: min - n}
	})
}

// requests: pods that ask for less of a resource. n is by how many steps.
func (s *Search) requests() {
	l, id, _ := s.job()
	pods := waiting(l, id)
	if len(pods) == 0 {
		return
	}
	tried := 0
	for _, name := range s.names(l, pods) {
		most := int64(0)
		for _, t := range pods {
			is, _ := l.Task(t).Pod.Spec.Requests.Get(name)
			most = max(most, is)
		}
		step := Step1(name)
		if most <= step || name == resource.PodsName {
			continue
		}
		if tried++; tried > 2 {
			return
		}
		guess := int64(1)
		for _, short := range shortsOf(&s.why) {
			if short.Dim == name {
				guess = up(short.Need-short.Have, step)
			}
		}
		s.leastOf(guess, (most-1)/step, func(n int64) trace.Change {
			return trace.Change{Kind: trace.ChangeRequest, Text: name, From: most, To: most - n*step}
		})
	}
}

// names lists the resources that pods ask for: those first that the reason names, cpu and memory before others.
func (s *Search) names(l *ledger.Ledger, pods []ledger.TaskID) (out []string) {
	for _, short := range shortsOf(&s.why) {
		out = append(out, short.Dim)
	}
	asked := map[resource.Dim]bool{}
	for _, t := range pods {
		for _, need := range l.Class(l.Task(t).Class).Need {
			asked[need.Dim] = true
		}
	}
	for _, d := range l.Dims.Sorted(func(d resource.Dim) bool { return asked[d] }) {
		if name := l.Dims.Name(d); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// shortsOf is what a reason says is lacking: its proof that the job can never start, else its innermost cause.
func shortsOf(r *trace.Reason) []trace.Short {
	if r.Never != nil && len(r.Never.Shorts) > 0 {
		return r.Never.Shorts
	}
	return r.Root().Shorts
}

// Step1 is the step in which amounts of a resource are looked for, in the engine's units: 100m of cpu, 1Mi of what
// is counted in bytes, one device, one pod.
func Step1(name string) int64 {
	switch {
	case name == resource.CPUName:
		return 100
	case name == resource.PodsName:
		return 1
	case resource.Divisible(name):
		return 1 << 20
	default:
		return resource.Device
	}
}

// up is how many steps an amount takes.
func up(amount, step int64) int64 { return max(1, (amount+step-1)/step) }

// tier: domains further apart, the tiers that there are, then all.
func (s *Search) tier() {
	l, _, job := s.job()
	if job.Group == nil {
		return
	}
	highest, name, hard := int32(0), "", false
	look := func(t *model.Topology) {
		if t != nil && t.Hard {
			hard, highest = true, max(highest, t.Highest)
			if t.Highest < 0 {
				name = t.HighestName
			}
		}
	}
	look(job.Group.Topology)
	for i := range job.Group.SubGroups {
		look(job.Group.SubGroups[i].Topology)
	}
	if !hard {
		return
	}
	var tiers []int32
	for _, h := range l.HyperNodes.All() {
		if tiers = append(tiers, h.Tier); name != "" && h.TierName == name {
			highest = max(highest, h.Tier)
		}
	}
	slices.Sort(tiers)
	for i, t := range append(slices.Compact(tiers), -1) {
		if t >= 0 && t <= highest {
			continue
		}
		way, starts := s.try([]trace.Change{{Kind: trace.ChangeTier, From: int64(highest), To: int64(t)}}, nil)
		if starts {
			way.Changes[len(way.Changes)-1].Least = t >= 0 || i > 0
			s.found(way)
			return
		}
	}
}

// tolerations: taints that a pod does not tolerate, those of most nodes first.
func (s *Search) tolerations() {
	l, id, _ := s.job()
	pods := waiting(l, id)
	if len(pods) == 0 {
		return
	}
	spec := l.Task(pods[0]).Pod.Spec
	nodes := map[model.Taint]int{}
	l.Nodes.Present(func(n ledger.NodeID) bool {
		for _, t := range l.Node(n).Fact.Taints {
			if t.Effect != model.PreferNoSchedule && !match.Tolerated(spec.Tolerations, t) {
				nodes[t]++
			}
		}
		return true
	})
	var taints []model.Taint
	for t := range nodes { // order-free: sorted below
		taints = append(taints, t)
	}
	slices.SortFunc(taints, func(a, b model.Taint) int {
		if d := nodes[b] - nodes[a]; d != 0 {
			return d
		}
		return strings.Compare(written(a), written(b))
	})
	for _, t := range taints[:min(len(taints), mostChoices)] {
		s.alone(trace.Change{Kind: trace.ChangeToleration, Text: written(t), Count: nodes[t]})
	}
}

// written is a taint as kubectl writes it.
func written(t model.Taint) string {
	if t.Value == "" {
		return t.Key + ":" + string(t.Effect)
	}
	return t.Key + "=" + t.Value + ":" + string(t.Effect)
}

// tolerate makes a pod tolerate a taint; false: it does already.
func tolerate(p *model.Pod, taint string) bool {
	key, effect, _ := cutLast(taint, ":")
	key, value, _ := strings.Cut(key, "=")
	if match.Tolerated(p.Spec.Tolerations, model.Taint{Key: key, Value: value, Effect: model.Effect(effect)}) {
		return false
	}
	spec := *p.Spec
	spec.Tolerations = append(slices.Clone(spec.Tolerations), model.Toleration{Key: key, Value: value,
		Effect: model.Effect(effect)})
	p.Spec = &spec
	return true
}

func cutLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}

// selectors: a label that pods need not ask for; then required node affinity.
func (s *Search) selectors() {
	l, id, _ := s.job()
	pods := waiting(l, id)
	if len(pods) == 0 {
		return
	}
	spec := l.Task(pods[0]).Pod.Spec
	for i, label := range spec.Selector {
		if i < mostChoices {
			s.alone(trace.Change{Kind: trace.ChangeSelector, Text: label.Key})
		}
	}
	if spec.Affinity != nil {
		s.alone(trace.Change{Kind: trace.ChangeSelector})
	}
}

// unselect makes a pod ask for a label no longer, or for no node affinity; false: it does not ask for it.
func unselect(p *model.Pod, key string) bool {
	spec := *p.Spec
	if key == "" {
		spec.Affinity = nil
	} else {
		spec.Selector = slices.DeleteFunc(slices.Clone(spec.Selector), func(l model.Label) bool { return l.Key == key })
	}
	changed := key == "" && p.Spec.Affinity != nil || len(spec.Selector) < len(p.Spec.Selector)
	p.Spec = &spec
	return changed
}

// priority: the lowest class above the job's with which it starts.
func (s *Search) priority() {
	l, _, job := s.job()
	tried := 0
	for _, class := range l.Priorities.Classes() {
		if class.Value <= job.Priority || tried == mostChoices || strings.HasPrefix(class.Name, "system-") {
			continue
		}
		tried++
		if s.alone(trace.Change{Kind: trace.ChangePriority, Text: class.Name, From: int64(job.Priority),
			To: int64(class.Value)}) {
			return
		}
	}
}

// queue: another queue that takes jobs, by name.
func (s *Search) queue() {
	l, id, job := s.job()
	var names []string
	l.Queues.Each(func(q ledger.QueueID) bool {
		row := l.Queue(q)
		if q != job.Queue && row.Fact != nil && row.Place == ledger.Sound && row.Leaf() && row.State() == model.QueueOpen {
			names = append(names, row.Name)
		}
		return true
	})
	slices.Sort(names)
	for _, name := range names[:min(len(names), mostChoices)] {
		s.alone(trace.Change{Kind: trace.ChangeQueue, Object: name, Text: l.Jobs.QueueName(id)})
	}
}

// gates: no scheduling gates.
func (s *Search) gates() {
	if _, _, job := s.job(); job.Gated > 0 {
		s.alone(trace.Change{Kind: trace.ChangeGates, From: int64(job.Gated)})
	}
}
