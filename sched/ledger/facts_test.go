package ledger

import (
	"testing"

	"ashlar.sh/sched/model"
)

func podFact(version uint64, gone bool) model.Fact {
	f := model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: "p"}, Version: version}
	if !gone {
		f.Object = &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "p"}, Ours: true, Spec: &model.Spec{}}
	}
	return f
}

func TestATombstoneBeatsOlderFacts(t *testing.T) {
	cases := map[string]struct {
		facts []model.Fact
		there bool
	}{
		"an older fact after the tombstone is ignored":            {[]model.Fact{podFact(3, true), podFact(2, false)}, false},
		"an older tombstone after a fact is ignored":              {[]model.Fact{podFact(3, false), podFact(2, true)}, true},
		"a newer fact after the tombstone is a new life":          {[]model.Fact{podFact(3, true), podFact(4, false)}, true},
		"of a fact and a tombstone of one version the later wins": {[]model.Fact{podFact(3, false), podFact(3, true)}, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			l := New()
			for _, f := range c.facts {
				l.Apply(f)
			}
			_, row := l.Tasks.Find(Key{"ns", "p"})
			_, fact := l.Fact(c.facts[0].Ref)
			equal(t, "the task's being there", row, c.there)
			equal(t, "the fact's being there", fact, c.there)
			equal(t, "the number of facts kept", len(l.Facts()), 1)
		})
	}
}

func TestTombstonesAreBounded(t *testing.T) {
	c := newCluster()
	c.node("stays", 1000)
	for i := range mostTombstones + mostTombstones/4 {
		c.tell(model.KindPod, "ns", string(rune('a'+i%26))+string(rune(0x4e00+i/26)), nil)
	}
	if n := len(c.Facts()); n > mostTombstones+1 {
		t.Errorf("%d facts are kept, most of them about what is gone, want at most %d", n, mostTombstones+1)
	}
	newest := c.Facts()[0]
	for _, f := range c.Facts() {
		if f.Version > newest.Version {
			newest = f
		}
	}
	equal(t, "the newest tombstone's version", newest.Version, c.version)
	if _, ok := c.Nodes.Find("stays"); !ok {
		t.Error("the node that is still there was forgotten")
	}
}

func TestAPodsUpdateKeepsWhatWasDecidedForIt(t *testing.T) {
	c := newCluster()
	c.node("n", 4000)
	p := c.pod("p", 1000)
	c.Jobs.SetPhase(c.jobOf(t, "p"), model.GroupInqueue, 7)
	n, _ := c.Nodes.Find("n")
	c.SetCommitment(p, Commitment{Kind: CommitBind, Node: n, Item: 8})
	c.tell(model.KindNode, "", "n", nil)

	p = c.pod("p", 1000)
	row := c.Task(p)
	equal(t, "the status", row.Status, model.Binding)
	equal(t, "the node's name", c.Node(row.Node).Name, "n")
	equal(t, "the plan item of the bind", row.Commitment.Item, 8)
	equal(t, "the phase of the adopted job", c.Job(row.Job).Phase, model.GroupInqueue)
	sound(t, c.Ledger)
}

func TestAPodOfAnotherUIDIsAnotherPod(t *testing.T) {
	c := newCluster()
	n := c.node("n", 4000)
	c.SetCommitment(c.pod("p", 1000), Commitment{Kind: CommitBind, Node: n, Item: 8})
	c.Jobs.SetPhase(c.jobOf(t, "p"), model.GroupInqueue, 7)

	p := c.pod("p", 1000, func(p *model.Pod) { p.UID = "other" })
	equal(t, "the status", c.Task(p).Status, model.Pending)
	equal(t, "the commitment", c.Task(p).Commitment.Kind, NoCommit)
	equal(t, "the phase of its job", c.Job(c.jobOf(t, "p")).Phase, model.GroupPending)
	equal(t, "idle on the node it was to go to", c.Nodes.Idle(0)[n], 4000)
}

func TestFactsEndCommitments(t *testing.T) {
	cases := map[string]struct {
		held   CommitKind
		before []func(*model.Pod)
		fact   []func(*model.Pod)
		want   model.Status
		open   bool
	}{
		"a bind stays open while the pod has no node": {CommitBind, nil, nil, model.Binding, true},
		"a bind ends when the pod has its node": {CommitBind, nil, []func(*model.Pod){on("n")}, model.Running,
			false},
		"a bind ends when the pod is being deleted": {CommitBind, nil, []func(*model.Pod){terminating},
			model.Releasing, false},
		"a nomination stays open while the pod has no node": {CommitNominate, nil, nil, model.Pipelined, true},
		"a nomination ends when the pod has finished": {CommitNominate, nil, []func(*model.Pod){succeeded},
			model.Succeeded, false},
		"an eviction stays open while the pod runs on": {CommitEvict, []func(*model.Pod){on("n")},
			[]func(*model.Pod){on("n")}, model.Releasing, true},
		"an eviction ends when the pod is seen to be deleted": {CommitEvict, []func(*model.Pod){on("n")},
			[]func(*model.Pod){on("n"), terminating}, model.Releasing, false},
		"an eviction ends when the pod has finished by itself": {CommitEvict, []func(*model.Pod){on("n")},
			[]func(*model.Pod){succeeded}, model.Succeeded, false},
	}
	for name, k := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCluster()
			n := c.node("n", 4000)
			c.SetCommitment(c.pod("p", 1000, k.before...), Commitment{Kind: k.held, Node: n, Item: 1})
			p := c.pod("p", 1000, k.fact...)
			equal(t, "the status", c.Task(p).Status, k.want)
			equal(t, "the commitment's being open", c.Task(p).Commitment.Kind != NoCommit, k.open)
			sound(t, c.Ledger)
		})
	}
}

func TestWhatWasSetAsideTakesPartInNothing(t *testing.T) {
	c := newCluster()
	p := c.pod("p", 1000, setAside)
	equal(t, "the pod's being placeable", c.Task(p).Placeable(), false)
	equal(t, "its job's request", c.Job(c.Task(p).Job).Request.Get(0), 0)
	equal(t, "its job's number of unsound members", c.Job(c.Task(p).Job).Invalid, 1)

	bad := model.Meta{Name: "n", Faults: []model.Fault{{Field: "status", Message: "is absurd", Fatal: true}}}
	c.tell(model.KindNode, "", "n", &model.Node{Meta: bad, Allocatable: cpu(4000)})
	equal(t, "the cluster's cpu", c.Nodes.Total(0), 0)

	c.tell(model.KindPriorityClass, "", "c", &model.PriorityClass{Meta: bad, Value: 9, GlobalDefault: true})
	q := c.pod("q", 1000, func(p *model.Pod) { p.PriorityClass = "c" })
	equal(t, "the priority by a class that was set aside", c.Task(q).Priority, 0)
}

func TestANodeThatIsGoneLeavesWithItsLastCommitment(t *testing.T) {
	c := newCluster()
	n := c.node("n", 4000)
	p := c.pod("p", 1000)
	c.SetCommitment(p, Commitment{Kind: CommitBind, Node: n, Item: 1})
	c.tell(model.KindNode, "", "n", nil)
	_, known := c.Nodes.Find("n")
	equal(t, "the node's being known while a bind to it is under way", known, true)
	c.Drop(p)
	_, known = c.Nodes.Find("n")
	equal(t, "the node's being known once the bind was denied", known, false)
	sound(t, c.Ledger)
}

func TestARowOfANodeThatIsGoneEndsWithTheNominationGivenUpThere(t *testing.T) {
	statements := map[string]func(*Tx, TaskID, NodeID){
		"released": func(tx *Tx, p TaskID, _ NodeID) { tx.EndNomination(p, "preempt", NoTask) },
		"released, reserved elsewhere": func(tx *Tx, p TaskID, m NodeID) {
			tx.EndNomination(p, "preempt", NoTask)
			tx.Nominate(p, m)
		},
		"withdrawn, placed elsewhere": func(tx *Tx, p TaskID, m NodeID) { tx.Unpipeline(p); tx.Allocate(p, m) },
	}
	for name, statement := range statements {
		t.Run(name, func(t *testing.T) {
			c := newCluster()
			n, m := c.node("n", 4000), c.node("m", 4000)
			p := c.pod("p", 1000)
			c.SetCommitment(p, Commitment{Kind: CommitNominate, Node: n, Item: 1})
			c.tell(model.KindNode, "", "n", nil)
			c.Try(func(tx *Tx) bool { statement(tx, p, m); return true })
			c.Commit(nextItem())
			_, known := c.Nodes.Find("n")
			equal(t, "the vanished node's being known", known, false)
			sound(t, c.Ledger)
		})
	}
}

func TestANominationMovedForOneCycleComesBackThoughItsNodeVanishes(t *testing.T) {
	c := newCluster()
	n := c.node("n", 4000)
	p := c.pod("p", 1000)
	c.SetCommitment(p, Commitment{Kind: CommitNominate, Node: n, Item: 1})
	c.Try(func(tx *Tx) bool { tx.EndNomination(p, "preempt", NoTask); tx.Provisional(); return true })
	c.tell(model.KindNode, "", "n", nil)
	c.node("other", 4000)
	c.Statements.TakeBackProvisional()
	equal(t, "the node of the nomination", c.Node(c.Task(p).Node).Name, "n")
	c.Drop(p)
	_, known := c.Nodes.Find("n")
	equal(t, "the node's being known once the nomination is over", known, false)
	sound(t, c.Ledger)
}

func TestADecidedPhaseLastsAsLongAsItsPodGroup(t *testing.T) {
	cases := map[string]struct {
		next *model.PodGroup
		want model.GroupPhase
		held bool
	}{
		"an update that does not show it yet": {&model.PodGroup{}, model.GroupInqueue, true},
		"an update that shows it":             {&model.PodGroup{Phase: model.GroupInqueue}, model.GroupInqueue, false},
		"another PodGroup of the same name": {&model.PodGroup{Meta: model.Meta{UID: "other"}}, model.GroupPending,
			false},
		"the PodGroup is gone, its members stay": {nil, model.GroupPending, false},
	}
	for name, k := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCluster()
			j := c.group("g", model.PodGroup{MinMember: 1})
			c.pod("p", 1000, member("g"))
			c.Jobs.SetPhase(j, model.GroupInqueue, 7)
			if k.next == nil {
				c.tell(model.KindPodGroup, "ns", "g", nil)
			} else {
				k.next.Namespace, k.next.Name = "ns", "g"
				c.tell(model.KindPodGroup, "ns", "g", k.next)
			}
			equal(t, "the phase", c.Job(j).Phase, k.want)
			_, held := c.Jobs.DecidedPhase(j)
			equal(t, "the phase's being decided and not yet shown", held, k.held)
		})
	}
}
