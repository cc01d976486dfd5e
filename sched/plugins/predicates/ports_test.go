package predicates_test

import (
	"slices"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// machine is a ledger with one node and the ports filter on it.
type machine struct {
	t      *testing.T
	l      *ledger.Ledger
	filter policy.NodeFilter
	node   ledger.NodeID
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, l: ledger.New()}
	m.filter = build(t, m.l, nil).NodePlugins.NodeFilters[0]
	m.l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: "node"}, Version: 1, Object: &model.Node{
		Meta: model.Meta{Name: "node"}, Allocatable: resource.List{{Name: resource.PodsName, Value: 10}}}})
	m.node, _ = m.l.Nodes.Find("node")
	return m
}

// pod puts a pod with ports into the ledger, as change leaves it.
func (m *machine) pod(name string, change func(*model.Pod), ports ...model.HostPort) ledger.TaskID {
	m.t.Helper()
	pod := &model.Pod{Ours: true, Meta: model.Meta{Namespace: "ns", Name: name, UID: name},
		Spec: &model.Spec{Requests: resource.List{{Name: resource.PodsName, Value: 1}}, Ports: ports}}
	change(pod)
	m.l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}, UID: name, Version: 1,
		Object: pod})
	task, ok := m.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: name})
	if !ok {
		m.t.Fatalf("no task %s", name)
	}
	return task
}

func waits(*model.Pod)     {}
func runs(p *model.Pod)    { p.Node, p.Phase = "node", model.PodRunning }
func leaves(p *model.Pod)  { runs(p); p.Deleting = true }
func strange(p *model.Pod) { runs(p); p.Ours = false }

// asks judges the node for a task.
func (m *machine) asks(task ledger.TaskID, future bool) policy.Verdict {
	return m.filter.FilterNode(m.l.Class(m.l.Task(task).Class), m.node, future)
}

func (m *machine) audited() {
	m.t.Helper()
	if found := m.l.Audit(); len(found) > 0 {
		m.t.Errorf("audit: %v", found)
	}
}

func tcp(ip string, port int32) model.HostPort {
	return model.HostPort{IP: ip, Protocol: "TCP", Port: port}
}

const (
	every = "0.0.0.0"
	one   = "10.0.0.1"
	other = "10.0.0.2"
)

func TestAPortThatIsTakenRefuses(t *testing.T) {
	udp := model.HostPort{IP: every, Protocol: "UDP", Port: 80}
	for name, c := range map[string]struct {
		held []model.HostPort
		want []model.HostPort
		text string // "" admits
	}{
		"the same port": {[]model.HostPort{tcp(every, 80)}, []model.HostPort{tcp(every, 80)},
			"80/TCP"},
		"another port":     {[]model.HostPort{tcp(every, 80)}, []model.HostPort{tcp(every, 81)}, ""},
		"another protocol": {[]model.HostPort{tcp(every, 80)}, []model.HostPort{udp}, ""},
		"the same port at the same address": {[]model.HostPort{tcp(one, 80)}, []model.HostPort{tcp(one, 80)},
			"10.0.0.1:80/TCP"},
		"the same port at another address": {[]model.HostPort{tcp(one, 80)}, []model.HostPort{tcp(other, 80)}, ""},
		"all addresses wanted, one taken": {[]model.HostPort{tcp(one, 80)}, []model.HostPort{tcp(every, 80)},
			"80/TCP"},
		"one address wanted, all taken": {[]model.HostPort{tcp(every, 80)}, []model.HostPort{tcp(one, 80)},
			"10.0.0.1:80/TCP"},
		"one of several wanted ports is taken": {[]model.HostPort{tcp(every, 82)},
			[]model.HostPort{tcp(every, 80), tcp(every, 82)}, "82/TCP"},
		"the first of two taken ports is named": {[]model.HostPort{tcp(every, 82), tcp(every, 80)},
			[]model.HostPort{tcp(every, 80), tcp(every, 82)}, "80/TCP"},
		"nobody holds a port": {nil, []model.HostPort{tcp(every, 80)}, ""},
		"a port named twice by one pod is taken": {[]model.HostPort{tcp(every, 80), tcp(every, 80)},
			[]model.HostPort{tcp(every, 80)}, "80/TCP"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.pod("holder", runs, c.held...)
			want := policy.Verdict{}
			if c.text != "" {
				want = policy.Verdict{Code: trace.NodePorts, Text: c.text}
			}
			for _, future := range []bool{false, true} {
				if got := m.asks(m.pod("asker", waits, c.want...), future); got != want {
					t.Errorf("future %v: got %+v, want %+v", future, got, want)
				}
			}
			m.audited()
		})
	}
}

func TestAPortIsFreeWhenItsHolderEnds(t *testing.T) {
	promise := func(m *machine) {
		task := m.pod("holder", waits, tcp(every, 80))
		m.l.Try(func(tx *ledger.Tx) bool { tx.Pipeline(task, m.node); return true })
	}
	holder := func(change func(*model.Pod)) func(*machine) {
		return func(m *machine) { m.pod("holder", change, tcp(every, 80)) }
	}
	for name, c := range map[string]struct {
		prepare       func(*machine)
		now, inFuture bool // admitted
	}{
		"a running task holds it":                      {holder(runs), false, false},
		"a running task of another scheduler holds it": {holder(strange), false, false},
		"a leaving task gives it up in the future":     {holder(leaves), false, true},
		"a promised task holds it now and then":        {promise, false, false},
		"a task that only waits holds nothing":         {holder(waits), true, true},
		"a finished task holds nothing": {holder(func(p *model.Pod) {
			runs(p)
			p.Phase = model.PodSucceeded
		}), true, true},
		"a promise for what another leaves is kept": {func(m *machine) {
			m.pod("leaver", leaves, tcp(every, 80))
			promise(m)
		}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			c.prepare(m)
			asker := m.pod("asker", waits, tcp(every, 80))
			for future, want := range map[bool]bool{false: c.now, true: c.inFuture} {
				if got := m.asks(asker, future).Admits(); got != want {
					t.Errorf("future %v: admitted %v, want %v", future, got, want)
				}
			}
			m.audited()
		})
	}
}

func TestATryThatFailsFreesItsPorts(t *testing.T) {
	m := newMachine(t)
	a, b := m.pod("a", waits, tcp(every, 80)), m.pod("b", waits, tcp(one, 80), tcp(every, 81))
	old := m.pod("old", runs, tcp(every, 82))
	m.l.Try(func(tx *ledger.Tx) bool {
		tx.Allocate(a, m.node)
		if m.asks(b, false).Admits() {
			t.Error("the port is free although it was given away in this try")
		}
		tx.Evict(old, "test", a)
		tx.Try(func(tx *ledger.Tx) bool {
			tx.Pipeline(b, m.node)
			m.audited()
			return false
		})
		m.audited()
		return false
	})
	if v := m.asks(b, false); !v.Admits() {
		t.Errorf("still refused after the undo: %+v", v)
	}
	if m.asks(old, true).Admits() {
		t.Error("the port of a task whose eviction was undone is free")
	}
	m.audited()
}

func TestAPortIsFreeWhenItsLastHolderIsGone(t *testing.T) {
	m := newMachine(t)
	m.pod("a", runs, tcp(every, 80))
	m.pod("b", strange, tcp(every, 80))
	asker := m.pod("asker", waits, tcp(every, 80))
	for i, gone := range []string{"a", "b"} {
		m.l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: gone}, UID: gone, Version: 2})
		if got, want := m.asks(asker, false).Admits(), i == 1; got != want {
			t.Errorf("after %s is gone: admitted %v, want %v", gone, got, want)
		}
		m.audited()
	}
}

func TestPortsAreKnownToAStateThatIsMadeLater(t *testing.T) {
	m := newMachine(t)
	m.pod("holder", runs, tcp(every, 80))
	asker := m.pod("asker", waits, tcp(every, 80))
	m.filter = build(t, m.l, nil).NodePlugins.NodeFilters[0]
	if m.asks(asker, false).Admits() {
		t.Error("a state that is made later does not know the ports in use")
	}
}

func TestOnlyPodsWithPortsAreAskedAbout(t *testing.T) {
	m := newMachine(t)
	if m.filter.Concerns(&model.Spec{}) || !m.filter.Concerns(&model.Spec{Ports: []model.HostPort{tcp(every, 80)}}) {
		t.Error("the filter concerns pods with host ports, and no others")
	}
}

func TestAnAuditFindsAPortThatWasMiscounted(t *testing.T) {
	m := newMachine(t)
	task := m.pod("holder", runs, tcp(every, 80))
	m.filter.(policy.StatefulPlugin).PluginState().Give(task, m.l.Task(task), m.node, ledger.Firm)
	want := []string{"PluginState ports: node node: kept [], counted [0.0.0.0:80/TCP held 1, leaving 0, pipelined 0]"}
	if found := m.l.Audit(); !slices.Equal(found, want) {
		t.Errorf("audit: %q, want %q", found, want)
	}
}
