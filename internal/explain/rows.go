package explain

import (
	"time"

	"ashlar.sh/sched"
)

// Rows make the documents of lists from rows that a live scheduler has rendered.

// JobRows is a JobList of rows.
func (a *Asking) JobRows(rows []JobRow) *JobList {
	out := a.JobList(&sched.Report{}, nil)
	for _, r := range rows {
		if born, err := time.Parse(time.RFC3339, r.Created); err == nil {
			r.born = born.UnixNano()
		}
		if r.Places == nil {
			r.Places = []Place{}
		}
		out.Items = append(out.Items, r)
	}
	return out
}

// NodeRows is a NodeList of rows.
func (a *Asking) NodeRows(rows []NodeAnswer) *NodeList {
	out := a.NodeList(nil)
	out.Items = append(out.Items, rows...)
	return out
}

// QueueRows is the document of queues, of rows, after so many cycles.
func QueueRows(rows []QueueStand, cycles int) *Queues {
	d := NewQueues(sched.Report{}, Summary{Cycles: cycles})
	d.Queues = append(d.Queues, rows...)
	d.next()
	return d
}

// TakeWhy adds the arithmetic of a queue that was rendered.
func (d *Queues) TakeWhy(w Why) { d.Why = append(d.Why, w) }
