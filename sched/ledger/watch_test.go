package ledger

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// A reader that keeps an answer asks the ledger what changed since. These laws say that the
// journal, the list of touched jobs and the versions never keep silent about a change.

// nodesNow is what each node row shows: its fact and its figures.
func nodesNow(l *Ledger) map[NodeID]string {
	out := map[NodeID]string{}
	for n := range l.Nodes.rows {
		if row := &l.Nodes.rows[n]; !row.free {
			out[NodeID(n)] = fmt.Sprint(row.Name, content(row.Fact), row.Tasks, row.going, columnsByName(l, NodeID(n)))
		}
	}
	return out
}

func TestTheFeedNamesEveryNodeThatChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		was, at := nodesNow(w.l), w.l.Changes.Nodes.Now()
		w.run(60, func() {
			touched := map[NodeID]bool{}
			if !w.l.Changes.Nodes.Each(at, func(n NodeID) { touched[n] = true }) {
				t.Fatalf("the journal does not reach back to %d", at)
			}
			w.l.ExtendDims()
			is := nodesNow(w.l)
			for n, x := range is {
				if was[n] != x && !touched[n] {
					t.Fatalf("the journal is silent on node %d\nwas %s\nis  %s", n, was[n], x)
				}
			}
			was, at = is, w.l.Changes.Nodes.Now()
		})
	})
}

// content is what a node's fact says; a new fact that says the same is no news.
func content(f *model.Node) string {
	if f == nil {
		return "none"
	}
	_, aside := f.SetAside()
	said := *f
	said.Meta = model.Meta{}
	return fmt.Sprintf("%+v %v", said, aside)
}

func TestAFeedThatDoesNotReachBackSaysSo(t *testing.T) {
	l := New()
	for _, name := range []string{"n", "m"} {
		l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: name}, Object: &model.Node{}})
	}
	start := l.Changes.Nodes.Now()
	for i := range 3 * 4096 {
		l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: "nm"[i%2 : i%2+1]},
			Object: &model.Node{Unschedulable: i%4 < 2}})
	}
	if l.Changes.Nodes.Each(start, func(NodeID) { t.Error("was told of a change all the same") }) {
		t.Error("a journal that was cut claims to reach back to its beginning")
	}
	if calls := 0; !l.Changes.Nodes.Each(l.Changes.Nodes.Now()-1, func(NodeID) { calls++ }) || calls != 1 {
		t.Errorf("the last change was told %d times, want once", calls)
	}
}

func TestAHeartbeatIsNoChange(t *testing.T) {
	node := func(labels ...model.Label) *model.Node {
		return &model.Node{Labels: labels, Allocatable: resource.List{{Name: resource.CPUName, Value: 4000}}}
	}
	l := New()
	tell := func(o *model.Node) { l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: "n"}, Object: o}) }
	tell(node())
	now, grown, shape := l.Changes.Nodes.Now(), l.Changes.RoomEpoch(), l.Changes.SpecEpoch()
	tell(node())
	if l.Changes.Nodes.Now() != now || l.Changes.RoomEpoch() != grown || l.Changes.SpecEpoch() != shape {
		t.Error("a fact about a node that says nothing new counts as a change")
	}
	tell(node(model.Label{Key: "zone", Value: "a"}))
	if l.Changes.Nodes.Now() == now || l.Changes.RoomEpoch() == grown {
		t.Error("a new label is not noticed")
	}
}

// jobsNow is what each job shows, by row: a row that is another job counts as changed.
func jobsNow(l *Ledger) map[JobID]string {
	out := map[JobID]string{}
	l.Jobs.Each(func(j JobID) bool {
		out[j] = fmt.Sprint(l.Jobs.rows[j].Key, jobByName(l, j))
		return true
	})
	return out
}

func TestEveryJobThatChangedIsOnTheListOfTouchedOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		was := jobsNow(w.l)
		w.run(60, func() {
			touched := map[JobID]int{}
			w.l.Changes.TakeDirty(func(j JobID) { touched[j]++ })
			is := jobsNow(w.l)
			for j, x := range is {
				if was[j] != x && touched[j] == 0 {
					t.Fatalf("job %d changed untouched\nwas %s\nis  %s", j, was[j], x)
				}
				if touched[j] > 1 {
					t.Fatalf("job %d is on the list %d times", j, touched[j])
				}
			}
			was = is
		})
	})
}

// A job's Changed tells its members and its definition apart, not where its members
// stand: the same number must never stand for two sets of members, nor for two jobs
// that used one row.
func TestAJobsVersionDiffersWhenItsFactsDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		seen := map[[2]uint64]string{}
		w.run(60, func() {
			w.l.Jobs.Each(func(j JobID) bool {
				job := w.l.Job(j)
				members := w.tasks(func(t TaskID) bool { return w.l.Task(t).Job == j })
				facts := fmt.Sprint(job.Key, fmt.Sprintf("%p", job.Group), job.Priority, job.MinMember, w.l.Jobs.QueueName(j))
				for _, t := range members {
					facts += fmt.Sprintf(" %p", w.l.Task(t).Pod)
				}
				at := [2]uint64{uint64(j), job.Changed}
				if old, known := seen[at]; known && old != facts {
					t.Fatalf("version %d of row %d stands for two jobs\nwas %s\nis  %s", job.Changed, j, old, facts)
				}
				seen[at] = facts
				return true
			})
		})
	})
}

func TestQueueFiguresChangeTheUsageEpoch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		was, figures, shape := map[string]string{}, uint64(0), uint64(0)
		w.run(60, func() {
			w.l.ExtendDims()
			is := map[string]string{}
			w.l.Queues.Each(func(q QueueID) bool {
				row := w.l.Queue(q)
				if row.Fact != nil || row.Name == model.RootQueue {
					is[row.Name] = sums(w.l, row.Allocated) + sums(w.l, row.Request) + sums(w.l, row.Inqueue) + sums(w.l, row.Elastic)
				}
				return true
			})
			for name, x := range is {
				if old, known := was[name]; known && old != x && w.l.Changes.UsageEpoch() == figures &&
					w.l.Changes.SpecEpoch() == shape {
					t.Fatalf("queue %s changed and no version did\nwas %s\nis  %s", name, old, x)
				}
			}
			was, figures, shape = is, w.l.Changes.UsageEpoch(), w.l.Changes.SpecEpoch()
		})
	})
}

func TestNewRoomChangesTheRoomEpoch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.huge = false // what is held at an edge grows, below zero, when part of it goes over to another figure
		was, grown := map[string]int64{}, uint64(0)
		w.run(60, func() {
			w.l.ExtendDims()
			is := map[string]int64{}
			w.l.Nodes.Present(func(n NodeID) bool {
				for d := range w.l.Dims.Len() {
					dim := resource.Dim(d)
					cell := w.l.Node(n).Name + " " + w.l.Dims.Name(dim)
					is[cell], is[cell+" in future"] = w.l.Nodes.Room(dim)[n], w.l.Nodes.FutureIdle(dim, n)
				}
				return true
			})
			for cell, x := range is {
				if x > was[cell] && w.l.Changes.RoomEpoch() == grown {
					t.Fatalf("%s grew from %d to %d and RoomEpoch stands still", cell, was[cell], x)
				}
			}
			was, grown = is, w.l.Changes.RoomEpoch()
		})
	})
}
