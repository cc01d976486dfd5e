// Package nodeorder says which of the nodes that may take a task is best.
//
//	leastrequested    much room in cpu and memory          by room
//	mostrequested     little room in them                  by room
//	balancedresource  cpu, memory and GPUs held alike      by room
//	nodeaffinity      preferred node affinity              by facts
//	tainttoleration   few PreferNoSchedule taints          by facts
//	imagelocality     the images are there already         by facts, of all nodes
//	podaffinity       preferred affinity between pods      by domains
//	podtopologyspread ScheduleAnyway topology spread       by domains
//
// Each gives a node between 0 and its weight times policy.Points; a score of weight 0
// is left out. They follow kube-scheduler's scores of the same names in integers, a
// thousandth of its point fine. Preferences are worth their part of the highest that
// any admitted node reaches; the engine does that division (policy.StaticOrder).
//
// What a node holds is Used + Pipelined: what tasks hold, the terminating ones
// included until they are gone, and what is promised. Of extended resources nvidia.com/gpu
// alone counts, for the balance of tasks that ask for it, as in Volcano. A task that asks for
// nothing counts for nothing (kube-scheduler lends it 100m and 200Mi), and is not balanced.
// Of an image the size on the node that is scored counts (kube-scheduler takes that of the
// node it saw first), of a pod the images of its containers and init containers.
//
// The scores by domains are relative to the nodes that would take the task at that moment,
// as in kube-scheduler. Of pods without constraints of their own those of one ReplicaSet,
// StatefulSet or ReplicationController are spread all the same, over nodes (maxSkew 3) and
// zones (5), where there are at least two of these; pods of a Service alone are not.
package nodeorder

import (
	"ashlar.sh/sched/fraction"
	"ashlar.sh/sched/interpod"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Definition is the plugin "nodeorder". Its arguments are the weights
// leastrequested.weight (1), mostrequested.weight (0), balancedresource.weight (1),
// nodeaffinity.weight (2), tainttoleration.weight (3), imagelocality.weight (1),
// podaffinity.weight (2) and podtopologyspread.weight (2): whole numbers from 0 to MaxWeight, anything else is an
// error that names the key.
func Definition() policy.Definition { return policy.Definition{Name: "nodeorder", New: build} }

// MaxWeight bounds a weight, so that no sum of scores leaves int64.
const MaxWeight = 100_000

type group struct {
	parts []any
	book  *interpod.Affinities // nil: no score depends on which pod is where
}

// Parts lists the scores whose weight is not 0.
func (g *group) Parts() []any { return g.parts }

// Open updates the affinity terms and spread constraints between pods.
func (g *group) Open(*trace.Recorder) {
	if g.book != nil {
		g.book.Open()
	}
}

func build(c policy.Choice, l *ledger.Ledger) (any, error) {
	r := &room{l: l, cpu: fraction.NewTable(l, resource.CPU), memory: fraction.NewTable(l, resource.Memory)}
	var prefers affinity
	var avoids taints
	holds := &images{l: l, byName: map[string]*image{}}
	var likes podAffinity
	var evens spread
	for _, w := range []struct {
		key       string
		otherwise int64
		weight    *int64
	}{
		{"leastrequested.weight", 1, &r.least},
		{"mostrequested.weight", 0, &r.most},
		{"balancedresource.weight", 1, &r.balanced},
		{"nodeaffinity.weight", 2, &prefers.weight},
		{"tainttoleration.weight", 3, &avoids.weight},
		{"imagelocality.weight", 1, &holds.weight},
		{"podaffinity.weight", 2, &likes.weight},
		{"podtopologyspread.weight", 2, &evens.weight},
	} {
		x, err := c.Arguments.Int(w.key, w.otherwise)
		if err != nil {
			return nil, err
		}
		if x < 0 || x > MaxWeight {
			return nil, policy.BadArgument(w.key, "%d is not a weight; use 0 to leave the score out, at most %d", x, int64(MaxWeight))
		}
		*w.weight = x
	}
	g := &group{}
	if r.least+r.most+r.balanced > 0 {
		g.parts = append(g.parts, r)
	}
	if prefers.weight > 0 {
		g.parts = append(g.parts, prefers)
	}
	if avoids.weight > 0 {
		g.parts = append(g.parts, avoids)
	}
	if holds.weight > 0 {
		l.Images.Heed()
		g.parts = append(g.parts, holds)
	}
	if likes.weight+evens.weight > 0 {
		g.book = interpod.Of(l)
	}
	if likes.weight > 0 {
		g.parts = append(g.parts, podAffinity{likes.weight, g.book})
	}
	if evens.weight > 0 {
		g.book.Even()
		g.parts = append(g.parts, spread{evens.weight, g.book})
	}
	return g, nil
}
