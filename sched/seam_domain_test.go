package sched

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// racks are three domains of nodes; their members sort by name, and a node that comes
// later may sort into the middle of one.
var racks = []string{"rack-a", "rack-b", "rack-c"}

// domain is the present nodes of a rack, by name.
func (s *stage) domain(rack string) []ledger.NodeID {
	var out []ledger.NodeID
	s.e.l.Nodes.Present(func(n ledger.NodeID) bool {
		if v, _ := model.LabelValue(s.e.l.Node(n).Fact.Labels, "rack"); v == rack {
			out = append(out, n)
		}
		return true
	})
	slices.SortFunc(out, func(a, b ledger.NodeID) int { return cmp.Compare(s.e.l.Node(a).Name, s.e.l.Node(b).Name) })
	return out
}

// bestIn is the best node of every rack for a pod, by the index.
func (s *stage) bestIn(pod string) map[string]string {
	s.t.Helper()
	t, ok := s.e.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: pod})
	if !ok {
		s.t.Fatalf("pod %s is not known", pod)
	}
	out := map[string]string{}
	for _, rack := range racks {
		n, score := s.bestAmong(t, s.domain(rack))
		out[rack] = "none"
		if n != ledger.NoNode {
			out[rack] = fmt.Sprintf("%s %d", s.e.l.Node(n).Name, score)
		}
	}
	return out
}

func (s *stage) bestAmong(t ledger.TaskID, nodes []ledger.NodeID) (ledger.NodeID, int64) {
	c := s.e.session.NodeIndex.Best(class.Query{Task: t, Scope: class.Among(nodes)})
	return c.Node, c.Score
}

// scanned is bestIn without an index over domains: each node alone is asked, and the
// best of the answers taken.
func (s *stage) scanned(pod string) map[string]string {
	t, _ := s.e.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: pod})
	out := map[string]string{}
	for _, rack := range racks {
		out[rack] = "none"
		best, most := []ledger.NodeID{}, int64(0)
		for _, n := range s.domain(rack) {
			found, score := s.bestAmong(t, []ledger.NodeID{n})
			if found == ledger.NoNode || len(best) > 0 && score < most {
				continue
			}
			if score > most {
				best = best[:0]
			}
			best, most = append(best, n), score
		}
		if len(best) > 0 { // among equals the index's own order, asked pair by pair
			first := best[0]
			for _, n := range best[1:] {
				first, _ = s.bestAmong(t, []ledger.NodeID{n, first})
			}
			out[rack] = fmt.Sprintf("%s %d", s.e.l.Node(first).Name, most)
		}
	}
	return out
}

func racked(t *testing.T) *stage {
	s := newStage(t, "allocate")
	s.e = engine(t,
		policy.Profile{Actions: []string{"allocate"},
			Tiers: [][]policy.Choice{{{Plugin: "predicates"}, {Plugin: "nodeorder"}}}})
	s.queue("default")
	for _, rack := range racks {
		for _, i := range []int{1, 3, 5} {
			s.inRack(rack, i, int64(4+i))
		}
	}
	s.pod("resident", running("rack-b-5"))
	s.pod("asks", func(p *model.Pod) { p.Gated = true })
	s.pod("asks-much", func(p *model.Pod) { p.Gated, p.Spec = true, &model.Spec{Requests: cpu(8, 1)} })
	return s
}

func (s *stage) inRack(rack string, i int, cores int64) {
	s.node(fmt.Sprintf("%s-%d", rack, i), cores, model.Label{Key: "rack", Value: rack})
}

func (s *stage) noNode(name string) { s.tell(model.KindNode, "", name, nil) }

// TestANodeInTheMiddleOfADomain: nodes come and go, rows are reused, and the best node
// of each domain is what a scan and an engine made from scratch find.
func TestANodeInTheMiddleOfADomain(t *testing.T) {
	steps := []struct {
		name    string
		do      func(s *stage)
		changes []string // the racks of which the answer may change
	}{
		{"nothing happens", func(*stage) {}, nil},
		{"a large node sorts into the middle of rack b", func(s *stage) { s.inRack("rack-b", 2, 40) }, []string{"rack-b"}},
		{"a small one beside it is never best", func(s *stage) { s.inRack("rack-b", 4, 2) }, nil},
		{"the large one goes", func(s *stage) { s.noNode("rack-b-2") }, []string{"rack-b"}},
		{"its row becomes a node of rack a", func(s *stage) { s.inRack("rack-a", 0, 30) }, []string{"rack-a"}},
		{"it comes again, in another row", func(s *stage) { s.inRack("rack-b", 2, 40) }, []string{"rack-b"}},
		{"it moves to rack c", func(s *stage) {
			s.node("rack-b-2", 40, model.Label{Key: "rack", Value: "rack-c"})
		}, []string{"rack-b", "rack-c"}},
		{"a node with a resident goes, its row stays for the pod", func(s *stage) { s.noNode("rack-b-5") },
			[]string{"rack-b"}},
		{"and comes again", func(s *stage) { s.inRack("rack-b", 5, 9) }, []string{"rack-b"}},
		{"all of rack a goes", func(s *stage) {
			for _, i := range []int{0, 1, 3, 5} {
				s.noNode(fmt.Sprintf("rack-a-%d", i))
			}
		}, []string{"rack-a"}},
		{"and comes again in reverse", func(s *stage) {
			for _, i := range []int{5, 3, 1} {
				s.inRack("rack-a", i, int64(4+i))
			}
		}, []string{"rack-a"}},
	}
	s := racked(t)
	was := map[string]map[string]string{"asks": s.bestIn("asks"), "asks-much": s.bestIn("asks-much")}
	for _, step := range steps {
		step.do(s)
		fresh := &stage{t: t, e: again(t, s.e)}
		for _, pod := range []string{"asks", "asks-much"} {
			is := s.bestIn(pod)
			for _, rack := range racks {
				if scan := s.scanned(pod)[rack]; is[rack] != scan {
					t.Errorf("%s: best of %s for %s is %s, the scan finds %s", step.name, rack, pod, is[rack], scan)
				}
				if other := fresh.bestIn(pod)[rack]; is[rack] != other {
					t.Errorf("%s: best of %s for %s is %s, a new engine finds %s", step.name, rack, pod, is[rack], other)
				}
				if is[rack] != was[pod][rack] && !slices.Contains(step.changes, rack) {
					t.Errorf("%s: best of %s for %s was %s and is %s", step.name, rack, pod, was[pod][rack], is[rack])
				}
			}
			was[pod] = is
		}
	}
}
