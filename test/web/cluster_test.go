package web

import "testing"

// gpus is a node of 8 GPUs of which some are free, in HyperNodes; so many of it are kept for jobs that wait.
func gpus(name, free, kept string, hyperNodes ...string) map[string]any {
	of := func(n string) map[string]string { return map[string]string{"nvidia.com/gpu": n} }
	used := string('8' - free[0] + '0')
	return map[string]any{"name": name, "allocatable": of("8"), "used": of(used), "idle": of(free), "futureIdle": of(free),
		"releasing": of("0"), "pipelined": of("0"), "claimed": of(kept), "hyperNodes": hyperNodes}
}

// TestTheLargestGangThatFits: how many members of a size there is room for at once, on a node, in a domain of each tier
// and on all nodes, without what is kept for others. What is kept of GPUs in use is told apart from free ones.
func TestTheLargestGangThatFits(t *testing.T) {
	b := start(t)
	l := &live{page: `{"source": "cluster"}`, streams: make(chan func(*feed), 1), why: emptyAnswer}
	l.streams <- stays(t, func(f *feed) {
		for _, n := range []map[string]any{gpus("a-1", "3", "0", "rack-a", "hall"), gpus("a-2", "5", "2", "rack-a", "hall"),
			gpus("b-1", "4", "0", "rack-b", "hall"), gpus("b-2", "0", "8", "rack-b", "hall")} {
			f.tell("Node", "ADDED", n)
		}
		f.mark()
	})
	p := l.opens(t, b)
	says := func(want string) {
		t.Helper()
		p.Until(want, `[...document.querySelectorAll(".gangs li")].map((e) => e.textContent).join(", ") === "`+want+`"`)
	}
	p.Goes("#/cluster")
	says("one node b-14, tier 1 rack-a6, tier 2 hall10, all nodes10")
	p.Until("what is kept", `["12", "of 32 GPU", "2 kept for jobs that wait", "8 in use, then kept for jobs that wait"].
	  every((s) => document.querySelector(".tile").innerText.includes(s))`)
	p.Goes("#/cluster?per=2")
	says("one node b-12, tier 1 rack-a2, tier 2 hall4, all nodes4")
	p.Goes("#/cluster?per=8")
	says("one node0, tier 10, tier 20, all nodes0")
	if left := p.Text(".gangs .left-out"); left != "" {
		t.Errorf("of nodes that take all pods %q is said", left)
	}
	p.Sound()
}

// TestNodesThatTakeNoGang: nodes that are cordoned or not ready are left out of the largest gang that fits, and those
// with taints unless the gang tolerates them.
func TestNodesThatTakeNoGang(t *testing.T) {
	b := start(t)
	l := &live{page: `{"source": "cluster"}`, streams: make(chan func(*feed), 1), why: emptyAnswer}
	node := func(name, free string, taints ...string) map[string]any {
		n := gpus(name, free, "0", "rack")
		n["taints"] = taints
		return n
	}
	uncordoned := make(chan struct{})
	l.streams <- stays(t, func(f *feed) {
		closed := node("closed", "8")
		closed["cordoned"] = true
		for _, n := range []map[string]any{node("open", "3"), closed, node("own", "5", "team=vision:NoSchedule"),
			node("away", "7", "node.kubernetes.io/not-ready:NoSchedule"),
			node("old", "2", "age=old:PreferNoSchedule")} {
			f.tell("Node", "ADDED", n)
		}
		f.mark()
		select {
		case <-uncordoned:
		case <-t.Context().Done():
		}
		f.tell("Node", "MODIFIED", node("closed", "8"))
		f.mark()
	})
	p := l.opens(t, b)
	says := func(fits, left string) {
		t.Helper()
		p.Until(fits, `[...document.querySelectorAll(".gangs li")].map((e) => e.textContent).join(", ") === "`+fits+
			`" && document.querySelector(".gangs .left-out").innerText === "Left out: `+left+`"`)
	}
	p.Goes("#/cluster")
	says("one node open3, tier 1 rack5, all nodes5", "2 cordoned or not ready, 1 with taints")
	p.Goes("#/cluster?tolerates=team%3Dvision%3ANoSchedule")
	says("one node own5, tier 1 rack10, all nodes10", "2 cordoned or not ready")
	p.Goes("#/cluster?tolerates=*")
	says("one node own5, tier 1 rack10, all nodes10", "2 cordoned or not ready")
	p.Goes("#/cluster")
	close(uncordoned)
	says("one node closed8, tier 1 rack13, all nodes13", "1 cordoned or not ready, 1 with taints")
	p.Sound()
}
