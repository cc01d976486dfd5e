package search

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// A gang that has lost a member gets a new one as soon as its controller has made it. A job that comes after
// the gang in its queue is placed beside the room of the lost member until then (ledger.Lost), if there is such
// room on a node and in the queue: no room is kept for a member that could not be placed if it were there.

// losses lists the lost members of the gangs that go before a job: gangs of its queue with no lower
// priority.
func losses(s *session.Session, j ledger.JobID) (out []*ledger.Lost) {
	own := s.L.Job(j)
	for _, x := range s.L.Losses.InForce() {
		if job := s.L.Job(x.In); x.In != j && job.Queue == own.Queue && job.Priority >= own.Priority {
			out = append(out, x)
		}
	}
	return out
}

// repairs says that a job lacks members of its minimum while others of its members run: it goes along
// with the gangs that lost members, not after them.
func repairs(s *session.Session, j ledger.JobID) bool {
	job := s.L.Job(j)
	return job.Staying() > 0 && !job.Met((*ledger.Count).NotGone)
}

// beside runs f with the room of lost members kept, as far as there is room for them. What f did stays
// if f returns true.
func beside(s *session.Session, lost []*ledger.Lost, f func() bool) {
	if len(lost) == 0 {
		f()
		return
	}
	s.L.Try(func(tx *ledger.Tx) bool {
		at := keepLostRoom(s, tx, lost)
		if !f() {
			return false
		}
		for i, n := range at {
			if n != ledger.NoNode {
				tx.Return(lost[i], n)
			}
		}
		return true
	})
}

// keepLostRoom keeps room for lost members: on the node where each ran, or else on the first node by name
// that takes its class. It returns these nodes; NoNode for a member for which there is no room.
func keepLostRoom(s *session.Session, tx *ledger.Tx, lost []*ledger.Lost) []ledger.NodeID {
	at := make([]ledger.NodeID, len(lost))
	from := map[ledger.ClassID]int{} // nodes by name before which there is no room left
	for i, x := range lost {
		at[i] = ledger.NoNode
		if s.Policy.Allocatable(s.L.Job(x.In).Queue, x.Class, 1) < 1 {
			continue
		}
		if n, known := s.L.Nodes.Find(x.Node); known && takes(s, x.Class, n) {
			at[i] = n
		} else {
			nodes := s.NodeIndex.ByName()
			for k := from[x.Class]; k < len(nodes) && at[i] == ledger.NoNode; k++ {
				if from[x.Class] = k; takes(s, x.Class, nodes[k]) {
					at[i] = nodes[k]
				}
			}
			if at[i] == ledger.NoNode {
				from[x.Class] = len(nodes)
			}
		}
		if at[i] != ledger.NoNode {
			tx.Beside(x, at[i])
		}
	}
	return at
}

// takes says that a node admits a class, and has room for one task of it once its terminating pods are
// gone.
func takes(s *session.Session, c ledger.ClassID, n ledger.NodeID) bool {
	admitted := s.NodeIndex.Admitted(c)
	return s.L.Node(n).Present() && int(n) < len(admitted) && admitted[n] &&
		!slices.ContainsFunc(s.L.Class(c).Need, func(need ledger.Need) bool {
			return s.L.Nodes.FutureIdle(need.Dim,
				n) < need.Amount
		})
}

// yields is why a job waits that would have a place without the room of lost members: it names the
// first lost member, and what that asks for.
func yields(s *session.Session, j ledger.JobID, lost []*ledger.Lost, why trace.Reason) trace.Reason {
	x := lost[0]
	r := trace.Reason{Code: trace.LostMemberFirst, Task: why.Task, Text: s.L.Jobs.CalledTo(j, x.In), Have: len(lost),
		Until: x.Until}
	for _, a := range s.L.Dims.List(s.L.Class(x.Class).Request) {
		if a.Name != "pods" {
			r.Shorts = append(r.Shorts, trace.Short{Dim: a.Name, Need: a.Value})
		}
	}
	if why.Is() {
		r.Cause = &why
	}
	return r
}
