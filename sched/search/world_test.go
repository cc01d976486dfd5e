package search_test

import (
	"fmt"

	"pgregory.net/rapid"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/pending"
	"ashlar.sh/sched/plugins"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// small is a cluster small enough to try every way of placing its gang: up to four nodes below two racks, or below
// none, and up to four members of up to two classes. Room may be kept for another gang.
type small struct {
	t       *rapid.T
	l       *ledger.Ledger
	s       *session.Session
	version uint64

	racks  []string // by node: the rack that it is in, "" for none
	room   []int64  // by node: the CPUs that no pod holds
	kept   []int64  // by node: of these, what is kept for the other gang
	gang   ledger.JobID
	other  ledger.JobID // the gang that room is kept for; NoJob: there is none
	after  bool         // the gang comes after that one: the room is not for it
	tasks  []ledger.TaskID
	limit  int    // the highest tier that the gang allows; 0: any
	parts  []int  // by member: its sub-group; nil: there are none
	least  [2]int // of sub-groups: the size, and how many of that size the gang needs
	near   int    // the highest tier that each sub-group allows; 0: that of the gang alone counts
	mixed  bool   // members ask for different amounts
	leasts int    // the gang's minimum
}

func (w *small) n(most int) int { return rapid.IntRange(0, most).Draw(w.t, "n") }

func (w *small) tell(kind model.Kind, namespace, name string, o model.Object) {
	w.version++
	w.l.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, UID: name, Version: w.version,
		Object: o})
}

func cpus(n int64) resource.List {
	return resource.List{{Name: resource.CPUName, Value: n}, {Name: resource.PodsName, Value: 1}}
}

func newSmall(t *rapid.T) *small {
	w := &small{t: t, l: ledger.New(), other: ledger.NoJob}
	p := policy.Profile{Actions: []string{"allocate"}, Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}},
		{{Plugin: "predicates"}, {Plugin: "nodeorder"}, {Plugin: "network-topology-aware"}}}}
	set, err := policy.Build(p, plugins.All(), w.l)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		name := fmt.Sprintf("c%d", i)
		w.tell(model.KindPriorityClass, "", name, &model.PriorityClass{Meta: model.Meta{Name: name}, Value: int32(i)})
	}
	w.tell(model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default"}, Weight: 1})
	w.cluster()
	w.job()
	w.keepRoom()
	w.l.ExtendDims()
	nodes := class.New(w.l, set)
	w.s = &session.Session{L: w.l, NodeIndex: nodes, Policy: set, Profile: &p, Trace: &trace.Recorder{}, Now: 100,
		Pending: pending.New(w.l, nodes, set), Admit: func(ledger.JobID) {}}
	w.s.Open(100)
	set.At(100)
	set.Open(&trace.Recorder{}, policy.NoStopwatch{})
	w.after = w.other != ledger.NoJob && set.CompareJobs(w.gang, w.other) > 0
	return w
}

// cluster draws nodes. Racks are of tier 1, the spine above them of tier 2; a node may be in neither.
func (w *small) cluster() {
	members := map[string][]model.Member{}
	for i := range 1 + w.n(3) {
		name := fmt.Sprintf("n%d", i)
		w.room = append(w.room, int64(w.n(4)))
		w.racks = append(w.racks, []string{"r0", "r1", "r1", ""}[w.n(3)])
		w.tell(model.KindNode, "", name, &model.Node{Meta: model.Meta{Name: name, UID: name},
			Allocatable: resource.List{{Name: resource.CPUName, Value: w.room[i]}, {Name: resource.PodsName, Value: 9}}})
		members[w.racks[i]] = append(members[w.racks[i]], model.Member{Node: true, Name: name})
	}
	for _, rack := range []string{"r0", "r1"} {
		w.tell(model.KindHyperNode, "", rack, &model.HyperNode{Meta: model.Meta{Name: rack}, Tier: 1, Members: members[rack]})
	}
	w.tell(model.KindHyperNode, "", "spine", &model.HyperNode{Meta: model.Meta{Name: "spine"}, Tier: 2,
		Members: []model.Member{{Name: "r0"}, {Name: "r1"}}})
}

// job draws the gang.
func (w *small) job() {
	size := 1 + w.n(3)
	w.leasts = 1 + w.n(size-1)
	g := &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "gang", UID: "gang"}, Queue: "default",
		MinMember:     int32(w.leasts),
		PriorityClass: fmt.Sprintf("c%d", w.n(2)), Phase: model.GroupInqueue}
	if w.limit = w.n(2); w.limit > 0 {
		g.Topology = &model.Topology{Hard: true, Highest: int32(w.limit)}
	}
	if w.n(2) == 2 {
		w.least = [2]int{1 + w.n(1), w.n(2)}
		policy := model.SubGroups{Name: "part", Keys: []string{"part"}, Size: int32(w.least[0]), Min: int32(w.least[1])}
		if w.near = w.n(2); w.near > 0 {
			policy.Topology = &model.Topology{Hard: true, Highest: int32(w.near)}
		}
		g.SubGroups = []model.SubGroups{policy}
		w.parts = make([]int, size)
	}
	w.tell(model.KindPodGroup, "ns", "gang", g)
	var sizes []int64
	for i := range size {
		name, part := fmt.Sprintf("gang-%d", i), ""
		if w.parts != nil {
			w.parts[i] = w.n(1)
			part = fmt.Sprintf("p%d", w.parts[i])
		}
		sizes = append(sizes, int64(1+w.n(1)))
		w.mixed = w.mixed || sizes[i] != sizes[0]
		w.pod(name, "gang", sizes[i], part)
		t, _ := w.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: name})
		w.tasks = append(w.tasks, t)
	}
	w.gang, _ = w.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "gang"})
}

func (w *small) pod(name, group string, cpu int64, part string) {
	p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true, Group: group,
		Spec: &model.Spec{Requests: cpus(cpu)}}
	if part != "" {
		p.Labels = []model.Label{{Key: "part", Value: part}}
	}
	w.tell(model.KindPod, "ns", name, p)
}

// keepRoom draws another gang, for which room is kept on some nodes.
func (w *small) keepRoom() {
	w.kept = make([]int64, len(w.room))
	if w.n(1) == 0 {
		return
	}
	w.tell(model.KindPodGroup, "ns", "other", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "other",
		UID: "other"}, Queue: "default",
		MinMember: 3, PriorityClass: fmt.Sprintf("c%d", w.n(2)), Phase: model.GroupInqueue})
	w.other, _ = w.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "other"})
	for i := range 3 {
		name, at := fmt.Sprintf("other-%d", i), w.n(len(w.room)-1)
		w.pod(name, "other", 1, "")
		if w.room[at] == w.kept[at] {
			continue
		}
		w.kept[at]++
		t, _ := w.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: name})
		n, _ := w.l.Nodes.Find(fmt.Sprintf("n%d", at))
		w.l.ExtendDims()
		w.l.KeptRoom.Keep(t, n, 1_000)
	}
}

// sound fails the test where the members that have a place do not have it by the rules.
func (w *small) sound(t rapid.TB) {
	at := make([]int, len(w.tasks))
	for i, task := range w.tasks {
		at[i] = -1
		if row := w.l.Task(task); row.Status == model.Allocated {
			at[i] = int(w.l.Node(row.Node).Name[1] - '0')
		}
	}
	if !w.lawful(at) {
		t.Fatalf("members are placed at %v, which the rules forbid", at)
	}
}

// lawful says that the gang may start with its members on these nodes (-1: without a place).
func (w *small) lawful(at []int) bool {
	left, placed, size := append([]int64(nil), w.room...), 0, map[int]int{}
	for i, n := range at {
		if n < 0 {
			continue
		}
		placed++
		left[n] -= w.l.Class(w.l.Task(w.tasks[i]).Class).Request.Get(resource.CPU)
		if w.parts != nil {
			size[w.parts[i]]++
		}
	}
	for n := range left {
		if left[n] < 0 || w.after && left[n] < w.kept[n] {
			return false
		}
	}
	whole := 0
	for part, n := range size {
		if n < w.least[0] || !w.together(at, w.near, func(i int) bool { return w.parts[i] == part }) {
			return false
		}
		whole++
	}
	return placed >= w.leasts && whole >= w.least[1] && w.together(at, w.limit, func(int) bool { return true })
}

// together says that the members of a part that have a place are in one domain of at most a tier; 0: anywhere.
func (w *small) together(at []int, tier int, of func(member int) bool) bool {
	rack, some := "", false
	for i, n := range at {
		if n < 0 || !of(i) || tier == 0 {
			continue
		}
		if w.racks[n] == "" || some && tier == 1 && w.racks[n] != rack {
			return false
		}
		rack, some = w.racks[n], true
	}
	return true
}

// possible tries every way of placing the members.
func (w *small) possible() bool {
	at := make([]int, len(w.tasks))
	var from func(i int) bool
	from = func(i int) bool {
		if i == len(at) {
			return w.lawful(at)
		}
		for at[i] = -1; at[i] < len(w.room); at[i]++ {
			if from(i + 1) {
				return true
			}
		}
		return false
	}
	return from(0)
}
