package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

func (a *auditor) nodes() {
	l, kept := a.l, map[string]resource.Sums{}
	for t := range l.Tasks.rows {
		if row := &l.Tasks.rows[t]; !row.free && row.keptRoomCounts() {
			at := l.Nodes.rows[row.Commitment.Node].Name
			kept[at] = kept[at].Add(l.Classes.rows[row.Class].Request)
		}
	}
	for d := range l.Dims.Len() {
		name := l.Dims.Name(resource.Dim(d))
		var total resource.Sum
		for n := range l.Nodes.rows {
			node := &l.Nodes.rows[n]
			if node.free {
				continue
			}
			var alloc int64
			if node.Present() {
				if alloc, _ = node.Fact.Allocatable.Get(name); alloc == 0 {
					alloc, _ = node.offers.Get(name)
				}
			}
			total = total.Plus(alloc)
			var used, releasing, pipelined resource.Sum
			l.Nodes.Tasks(NodeID(n), func(t TaskID) bool {
				row := &l.Tasks.rows[t]
				x := l.Classes.rows[row.Class].Request.Get(resource.Dim(d))
				switch {
				case row.Status == model.Pipelined:
					pipelined = pipelined.Plus(x)
				case row.releases():
					releasing = releasing.Plus(x)
					used = used.Plus(x)
				default:
					used = used.Plus(x)
				}
				return true
			})
			pipelined = pipelined.Plus(kept[node.Name].Get(resource.Dim(d)))
			c := &l.Nodes.cols
			idle := boundedIdle(resource.Sum{}.Plus(alloc).PlusSum(used, -1))
			future := idle + bounded(releasing) - bounded(pipelined)
			got := [5]int64{c.alloc[d][n], c.idle[d][n], c.releasing[d][n], c.pipelined[d][n], c.room[d][n]}
			want := [5]int64{alloc, idle, bounded(releasing), bounded(pipelined), min(idle, future)}
			if got != want {
				a.say("node %s %s: allocatable, idle, releasing, pipelined, room are %v, recounted %v", node.Name, name, got, want)
			}
		}
		if got := l.Nodes.total.Get(resource.Dim(d)); got != total.Int64() {
			a.say("cluster %s: total is %d, recounted %d", name, got, total.Int64())
		}
	}
}

// names counts the commitments that name a node, and checks that its row exists exactly as long as something
// names it.
func (a *auditor) names(n NodeID) {
	node, named := &a.l.Nodes.rows[n], int32(0)
	for t := range a.l.Tasks.rows {
		if a.l.Tasks.rows[t].Commitment.names() == n {
			named++
		}
	}
	if named != node.named {
		a.say("node %s: %d commitments name it, recounted %d", node.Name, node.named, named)
	}
	if !node.free && node.Fact == nil && node.Tasks == 0 && named == 0 {
		a.say("node %s: nothing names it any more", node.Name)
	}
}
