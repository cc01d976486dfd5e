package class

import (
	"fmt"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/binpack"
	"ashlar.sh/sched/plugins/networktopology"
	"ashlar.sh/sched/plugins/nodeorder"
	"ashlar.sh/sched/plugins/predicates"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
	"pgregory.net/rapid"
)

// world is a ledger with an index and the oracle, and a random history.
type world struct {
	t            *rapid.T
	l            *ledger.Ledger
	x            *Index
	oracle       *oracle
	version      uint64
	half         []ledger.NodeID // see TestManyNodesAreAnsweredForAsFewAre
	refuser      *refuser
	queueFilter  *queueFilter
	refusersOnly bool // all pods concern refuser, and none asks for other pods around it
}

// perTask is a filter of single tasks: it refuses some pairs of a pod and a node, by their names.
type perTask struct{ l *ledger.Ledger }

func (perTask) Concerns(s *model.Spec) bool { return s.Extra == "per-task" }

func (p perTask) FilterTask(t ledger.TaskID, n ledger.NodeID, _ bool) policy.Verdict {
	if ledger.Hash(p.l.Task(t).Key.Name+p.l.Node(n).Name)%2 == 0 {
		return policy.Verdict{Code: trace.NodeVolume}
	}
	return policy.Verdict{}
}

// comparing scores nodes by how many there are to choose from, and picks the first of them for some pods.
type comparing struct{ l *ledger.Ledger }

func (s comparing) ScoreNodes(t ledger.TaskID, nodes []ledger.NodeID, scores []int64) {
	for i, n := range nodes {
		scores[i] += int64(ledger.Hash(s.l.Node(n).Name)%3) * int64(len(nodes))
	}
}

func (s comparing) PickNode(t ledger.TaskID, nodes []ledger.NodeID, _ []int64) (int, bool) {
	return 0, ledger.Hash(s.l.Task(t).Key.Name)%2 == 0
}

func newWorld(t *rapid.T) *world {
	w := &world{t: t, l: ledger.New(), oracle: &oracle{}}
	l := w.l
	w.refuser = &refuser{l: l, eras: map[string]int{}, known: map[string]bool{}}
	w.queueFilter = &queueFilter{l: l}
	plugins := []policy.Choice{{Plugin: "predicates"}, {Plugin: "nodeorder"}, {Plugin: "per-task"}, {Plugin: "refuser"},
		{Plugin: "queue-filter"}}
	if rapid.Bool().Draw(t, "binpack") {
		plugins = append(plugins, policy.Choice{Plugin: "binpack"})
	}
	if rapid.IntRange(0, 3).Draw(t, "comparing") == 3 {
		plugins = append(plugins, policy.Choice{Plugin: "comparing"})
	}
	if choice, scored := w.network(); scored {
		plugins = append(plugins, choice)
	}
	set, err := policy.Build(policy.Profile{Tiers: [][]policy.Choice{plugins}},
		[]policy.Definition{predicates.Definition(), nodeorder.Definition(), binpack.Definition(),
			networktopology.Definition(),
			{Name: "refuser", New: func(policy.Choice, *ledger.Ledger) (any, error) { return w.refuser, nil }},
			{Name: "queue-filter", New: func(policy.Choice, *ledger.Ledger) (any, error) { return w.queueFilter, nil }},
			{Name: "per-task", New: func(_ policy.Choice, l *ledger.Ledger) (any, error) { return perTask{l}, nil }},
			{Name: "comparing", New: func(_ policy.Choice, l *ledger.Ledger) (any, error) { return comparing{l}, nil }}}, l)
	if err != nil {
		t.Fatal(err)
	}
	w.x, w.oracle.l, w.oracle.set = New(l, set), l, set
	w.x.Budget = []int{DefaultBudget, 1, 700}[w.n(2)]
	w.x.flat = []int{fewFlat, 0}[w.n(1)]
	w.x.grades = []int{defaultGrades, 2, 3}[w.n(2)]
	w.x.TopologyGroups = []int{DefaultTopologyGroups, 1, 3}[w.n(2)]
	for range 6 {
		w.fact(5)
	}
	if w.oracle.network != nil && w.yes() {
		w.hyperNode()
		w.hyperNode()
	}
	return w
}

func (w *world) n(most int) int { return rapid.IntRange(0, most).Draw(w.t, "n") }

func (w *world) yes() bool { return rapid.Bool().Draw(w.t, "yes") }

func (w *world) apply(kind model.Kind, namespace, name string, o model.Object) {
	w.version++
	w.l.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, Version: w.version, Object: o})
	w.l.ExtendDims()
	w.x.set.Open(&trace.Recorder{}, policy.NoStopwatch{})
}

// step makes one change and calls ask, also inside tries.
func (w *world) step(ask func()) {
	switch k := w.n(9); {
	case k <= 3:
		w.fact(k)
	case k <= 7:
		w.try(0, ask)
		ask()
		w.l.Commit(func(ledger.Op) ledger.PlanItem { return ledger.PlanItem{Item: w.version} })
	case k == 8 && w.yes():
		w.l.Statements.TakeBackProvisional()
	case k == 8 && w.yes():
		w.queueFilter.era++
	case k == 8:
		w.refuser.changed(fmt.Sprintf("n%d", w.n(8)))
	default:
		w.churn()
	}
	ask()
}

func (w *world) fact(k int) {
	if k >= 2 {
		name := fmt.Sprintf("n%d", w.n(8))
		if w.n(3) == 3 {
			w.apply(model.KindNode, "", name, nil)
			return
		}
		if n, known := w.l.Nodes.Find(name); known && w.l.Node(n).Present() && w.yes() {
			pulled := *w.l.Node(n).Fact
			pulled.Images = w.images()
			w.apply(model.KindNode, "", name, &pulled)
			return
		}
		w.apply(model.KindNode, "", name, w.node(name))
		return
	}
	switch w.n(11) {
	case 11:
		w.namespace()
		return
	case 10:
		w.hyperNode()
		return
	case 9:
		w.topologyJob()
		return
	}
	name := fmt.Sprintf("p%d", w.n(9))
	if w.n(4) == 4 {
		w.apply(model.KindPod, namespaceOf(name), name, nil)
		return
	}
	w.apply(model.KindPod, namespaceOf(name), name, w.pod(name))
}

func amounts(cpu, memory, pods int) resource.List {
	return resource.List{{Name: resource.CPUName, Value: int64(cpu)}, {Name: resource.MemoryName, Value: int64(memory)},
		{Name: resource.PodsName, Value: int64(pods)}}
}

func (w *world) node(name string) *model.Node {
	n := &model.Node{Meta: model.Meta{Name: name}, Unschedulable: w.n(7) == 7, Elsewhere: w.n(3) == 3,
		Allocatable: amounts(w.n(9), w.n(9), w.n(5))}
	if w.n(7) < 7 {
		n.Labels = []model.Label{{Key: model.HostnameKey, Value: name}}
	}
	zone := w.n(2)
	if rack := w.n(3); rack > 1 {
		n.Labels = append(n.Labels, model.Label{Key: "rack", Value: fmt.Sprint(rack)})
	}
	if zone > 0 && w.n(3) > 0 {
		n.Labels = append(n.Labels, model.Label{Key: "topology.kubernetes.io/zone", Value: []string{"", "a", "b"}[zone]})
	}
	if zone > 0 {
		n.Labels = append(n.Labels, model.Label{Key: "zone", Value: []string{"", "a", "b"}[zone]})
	}
	switch w.n(5) {
	case 4:
		n.Taints = []model.Taint{{Key: "dedicated", Effect: model.NoSchedule}}
	case 5:
		n.Taints = []model.Taint{{Key: "slow", Effect: model.PreferNoSchedule}}
	}
	n.Images = w.images()
	if w.n(9) == 9 {
		n.Faults = []model.Fault{{Field: "status", Message: "is odd", Fatal: true}}
	}
	return n
}

func (w *world) images() (out []model.Image) {
	for _, name := range []string{"a", "b"} {
		if w.yes() {
			out = append(out, model.Image{Name: name, Size: int64(w.n(4)) << 29})
		}
	}
	return out
}

func (w *world) pod(name string) *model.Pod {
	p := &model.Pod{Meta: model.Meta{Namespace: namespaceOf(name), Name: name, UID: name}, Ours: true,
		Labels: w.podLabels(name)}
	s := &model.Spec{Requests: amounts(1+w.n(2), w.n(2), 1)}
	switch w.n(7) {
	case 7:
		s.Affinity = w.terms()
	case 0:
		s.Extra = []string{"per-task", "refuser"}[w.n(1)]
	case 1:
		s.Ports = []model.HostPort{{IP: "0.0.0.0", Protocol: "TCP", Port: 80}}
	case 2:
		s.Selector = []model.Label{{Key: "zone", Value: "a"}}
	case 3:
		inB := model.Term{All: []model.Requirement{{Key: "zone", Op: model.In, Values: []string{"b"}}}}
		s.Preferred = []model.Preference{{Weight: int32(1 + w.n(3)), Term: inB}}
	case 4:
		s.Requests = nil
	}
	if w.refusersOnly {
		s.Extra = "refuser"
		p.Spec = s
		return p
	}
	s.Neighbours = w.neighbours()
	if w.yes() {
		s.Images = [][]string{{"a"}, {"a", "a"}, {"a", "b"}, {"b", "none"}}[w.n(3)]
	}
	p.Spec = s
	if p.Namespace == "ns" && w.n(3) == 3 {
		p.Group = "near"
	}
	if w.yes() {
		p.OwnerID = []string{"ReplicaSet.apps/u1", "StatefulSet.apps/u2", "Job.batch/u3"}[w.n(2)]
	}
	if w.n(3) == 3 {
		p.Node, p.Phase, p.Deleting = fmt.Sprintf("n%d", w.n(8)), model.PodRunning, w.yes()
	}
	return p
}

// terms is a required node affinity of any kind, also one that no node satisfies.
func (w *world) terms() []model.Term {
	out := []model.Term{}
	for range w.n(2) {
		var t model.Term
		for range w.n(2) {
			op := []model.Operator{model.In, model.NotIn, model.Exists, model.DoesNotExist, model.Gt, "Odd"}[w.n(5)]
			r := model.Requirement{Key: []string{"zone", "rack", "none"}[w.n(2)], Op: op, Field: w.n(9) == 9}
			if op == model.In || op == model.NotIn || op == model.Gt {
				r.Values = []string{"a", "b", "2", "c"}[w.n(3):][:1]
			}
			t.All = append(t.All, r)
		}
		out = append(out, t)
	}
	return out
}

// try is a statement that may fail, with statements inside it.
func (w *world) try(depth int, ask func()) {
	w.l.Try(func(tx *ledger.Tx) bool {
		for range 1 + w.n(2) {
			if depth < 2 && w.n(4) == 4 {
				w.try(depth+1, ask)
			} else {
				w.operate(tx)
			}
			ask()
		}
		if w.n(5) == 5 {
			tx.Provisional()
		}
		return w.yes()
	})
}

func (w *world) operate(tx *ledger.Tx) {
	tasks, nodes := w.tasks(), w.nodes()
	if len(tasks) == 0 || len(nodes) == 0 {
		return
	}
	t, n := tasks[w.n(len(tasks)-1)], nodes[w.n(len(nodes)-1)]
	switch row := w.l.Task(t); {
	case row.Placeable() && w.yes():
		tx.Allocate(t, n)
	case row.Placeable():
		tx.Pipeline(t, n)
	case row.Status == model.Running:
		tx.Evict(t, "test", ledger.NoTask)
	}
}

// churn changes nodes more often than the feed is long.
func (w *world) churn() {
	tasks, nodes := w.tasks(), w.nodes()
	for _, t := range tasks {
		if !w.l.Task(t).Placeable() || len(nodes) == 0 {
			continue
		}
		for i := range 3000 {
			w.l.Try(func(tx *ledger.Tx) bool {
				tx.Allocate(t, nodes[i%len(nodes)])
				return false
			})
		}
		return
	}
}

// tasks are all tasks by name.
func (w *world) tasks() []ledger.TaskID {
	var out []ledger.TaskID
	w.l.Tasks.Each(func(t ledger.TaskID) bool { out = append(out, t); return true })
	slices.SortFunc(out, func(a, b ledger.TaskID) int {
		if w.l.Task(a).Key.Compare(w.l.Task(b).Key) < 0 {
			return -1
		}
		return 1
	})
	return out
}

// nodes are the present nodes by name.
func (w *world) nodes() []ledger.NodeID {
	out := w.oracle.nodes()
	slices.SortFunc(out, func(a, b ledger.NodeID) int {
		if w.l.Node(a).Name < w.l.Node(b).Name {
			return -1
		}
		return 1
	})
	return out
}
