package story

import (
	"cmp"

	"ashlar.sh/sched"
	"ashlar.sh/sched/resource"
)

// nodes prints the nodes' amounts after the last cycle, as a table; the words choose
// columns. Without words: used, idle.
//
//	nodes idle releasing pipelined claimed future
var nodesVerb = verb{syntax: "nodes [COLUMN…]", ask: nodeTable}

func nodeColumns() []column[sched.NodeReport] {
	amounts := func(name string, of func(sched.NodeReport) resource.List) column[sched.NodeReport] {
		return column[sched.NodeReport]{name, func(n sched.NodeReport) string { return list(of(n)) }}
	}
	return []column[sched.NodeReport]{
		{"node", func(n sched.NodeReport) string { return n.Name }},
		amounts("allocatable", func(n sched.NodeReport) resource.List { return n.Allocatable }),
		amounts("used", func(n sched.NodeReport) resource.List { return n.Used }),
		amounts("idle", func(n sched.NodeReport) resource.List { return n.Idle }),
		amounts("releasing", func(n sched.NodeReport) resource.List { return n.Releasing }),
		amounts("pipelined", func(n sched.NodeReport) resource.List { return n.Pipelined }),
		amounts("claimed", func(n sched.NodeReport) resource.List { return n.RoomKept }),
		amounts("future", func(n sched.NodeReport) resource.List { return n.FutureIdle }),
	}
}

func nodeTable(s *stage, w *words) ([]string, error) {
	r, err := s.report()
	if err != nil {
		return nil, err
	}
	chosen := w.all
	if len(chosen) == 0 {
		chosen = []string{"used", "idle"}
	}
	return table(r.Nodes, nodeColumns(), chosen)
}

// pods prints where the pods stand, as a table; the words choose columns. Without
// words: status, node.
var podsVerb = verb{syntax: "pods [COLUMN…]", ask: podTable}

func podColumns() []column[sched.PodReport] {
	return []column[sched.PodReport]{
		{"pod", func(p sched.PodReport) string { return p.Namespace + "/" + p.Name }},
		{"job", func(p sched.PodReport) string { return cmp.Or(p.Job, "-") }},
		{"status", func(p sched.PodReport) string { return p.Status.String() }},
		{"node", func(p sched.PodReport) string { return cmp.Or(p.Node, "-") }},
		{"nominated", func(p sched.PodReport) string { return cmp.Or(p.Nominated, "-") }},
		{"scheduler", func(p sched.PodReport) string { return cmp.Or(p.Scheduler, "-") }},
		{"runtime", func(p sched.PodReport) string { return runTime(p.RunTime) }},
	}
}

func podTable(s *stage, w *words) ([]string, error) {
	r, err := s.report()
	if err != nil {
		return nil, err
	}
	chosen := w.all
	if len(chosen) == 0 {
		chosen = []string{"status", "node"}
	}
	return table(r.Pods, podColumns(), chosen)
}
