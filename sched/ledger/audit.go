package ledger

import (
	"fmt"

	"ashlar.sh/sched/model"
)

// Audit counts every figure anew from the facts and rows. It returns the differences, one finding a line, nil
// when there are none. It is the slow check of all incremental bookkeeping, for tests and for the live check
// of invariants.
func (l *Ledger) Audit() []string {
	l.ExtendDims()
	a := &auditor{l: l}
	a.nodes()
	a.jobs()
	a.places()
	a.queues()
	a.lists()
	a.groups()
	a.charges()
	a.tenants()
	for _, b := range l.PluginStates.states {
		for _, f := range b.Audit(l.PluginStates.Placements) {
			a.say("PluginState %s: %s", b.Name(), f)
		}
	}
	return a.findings
}

type auditor struct {
	l        *Ledger
	findings []string
}

func (a *auditor) say(format string, args ...any) {
	a.findings = append(a.findings, fmt.Sprintf(format, args...))
}

// lists checks that every task is on exactly the lists that its status and node require.
func (a *auditor) lists() {
	l := a.l
	onJob, onNode := make([]int, len(l.Tasks.rows)), make([]int, len(l.Tasks.rows))
	for j := range l.Jobs.rows {
		if l.Jobs.rows[j].marks.free {
			continue
		}
		for s := range model.NumStatus {
			l.Jobs.Tasks(JobID(j), s, func(t TaskID) bool {
				if onJob[t]++; l.Tasks.rows[t].Job != JobID(j) || l.Tasks.rows[t].Status != s {
					a.say("task %v is on job %v's list of %v", l.Tasks.rows[t].Key, l.Jobs.rows[j].Key, s)
				}
				return true
			})
		}
	}
	goingNodes := 0
	for n := range l.Nodes.rows {
		a.names(NodeID(n))
		if l.Nodes.rows[n].free {
			continue
		}
		tasks, going := int32(0), int32(0)
		l.Nodes.Tasks(NodeID(n), func(t TaskID) bool {
			tasks++
			if l.Tasks.rows[t].releases() {
				going++
			}
			if onNode[t]++; l.Tasks.rows[t].Node != NodeID(n) {
				a.say("task %v is on node %s's list", l.Tasks.rows[t].Key, l.Nodes.rows[n].Name)
			}
			return true
		})
		if tasks != l.Nodes.rows[n].Tasks || going != l.Nodes.rows[n].going {
			a.say("node %s: %d tasks, %d releasing, recounted %d, %d", l.Nodes.rows[n].Name, l.Nodes.rows[n].Tasks,
				l.Nodes.rows[n].going, tasks, going)
		}
		goingNodes += int(min(going, 1))
	}
	if goingNodes != l.Nodes.leaving {
		a.say("cluster: %d nodes with releasing tasks, recounted %d", l.Nodes.leaving, goingNodes)
	}
	for t := range l.Tasks.rows {
		row := &l.Tasks.rows[t]
		if row.free {
			continue
		}
		if lingers, _ := row.Pod.Lingers(l.Tasks.Lingering.now); row.Status == model.Releasing && row.Node != NoNode &&
			row.lingers != (lingers && l.Tasks.Lingering.begun) {
			a.say("task %v: it lingers: %v, by its fact %v", row.Key, row.lingers, lingers)
		}
		if (row.Job != NoJob) != (onJob[t] == 1) || (row.Node != NoNode) != (onNode[t] == 1) {
			a.say("task %v: on %d job lists and %d node lists", row.Key, onJob[t], onNode[t])
		}
	}
}
