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
// Each gives a node between 0 and its weight times policy.MaxNodeScore; a score of weight 0
// is left out. They follow kube-scheduler's scores of the same names in integers, a
// thousandth of its point fine. Preferences are worth their part of the highest that
// any admitted node reaches; the engine does that division (policy.StaticOrder).
//
// What a node holds is Used + Pipelined: what tasks hold, the terminating ones
// included until they are gone, and what is pipelined. Of extended resources nvidia.com/gpu
// alone counts, for the balance of tasks that ask for it, as in Volcano. A task that asks for
// nothing counts for nothing (kube-scheduler lends it 100m and 200Mi), and is not balanced.
// Of an image the size on the node that is scored counts (kube-scheduler takes that of the
// node it saw first), of a pod the images of its containers and init containers.
//
// The scores by domains are relative to the nodes that would take the task at that moment,
// as in kube-scheduler. Of pods without constraints of their own those of one ReplicaSet,
// StatefulSet or ReplicationController, and those that the same Services select, are spread
// all the same, over nodes (maxSkew 3) and zones (5), where there are at least two of these.
package nodeorder

import (
	"ashlar.sh/sched/fraction"
	"ashlar.sh/sched/interpod"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Definition is the plugin "nodeorder". A score of weight 0 is left out.
func Definition() policy.Definition {
	return policy.Define("nodeorder", "which of the nodes is best", build)
}

type arguments struct {
	least, most, balanced             int64
	nodeAffinity, podAffinity, spread int64
	taints, images                    int64
}

func (a *arguments) AddArguments(s *policy.ArgumentSet) {
	weight := func(p *int64, key string, otherwise int64, meaning string) {
		s.Int(p, key, otherwise, meaning).AtLeast(0).AtMost(MaxWeight)
	}
	weight(&a.least, "leastrequested.weight", 1, "prefer nodes with much room")
	weight(&a.most, "mostrequested.weight", 0, "prefer nodes with little room")
	weight(&a.nodeAffinity, "nodeaffinity.weight", 2, "preferred node affinity")
	weight(&a.podAffinity, "podaffinity.weight", 2, "preferred pod affinity")
	weight(&a.balanced, "balancedresource.weight", 1, "cpu, memory and GPUs used in equal measure")
	weight(&a.taints, "tainttoleration.weight", 3, "avoid PreferNoSchedule taints")
	weight(&a.images, "imagelocality.weight", 1, "prefer nodes that hold the images")
	weight(&a.spread, "podtopologyspread.weight", 2, "preferred topology spread")
}

// MaxWeight bounds a weight, so that no sum of scores leaves int64.
const MaxWeight = 100_000

type group struct {
	parts      []any
	affinities *interpod.Affinities // nil: no score depends on which pod is where
}

// Parts lists the scores with a weight that is not 0.
func (g *group) Parts() []any { return g.parts }

// Open updates the affinity terms and spread constraints between pods.
func (g *group) Open(*trace.Recorder) {
	if g.affinities != nil {
		g.affinities.Open()
	}
}

func build(a arguments, l *ledger.Ledger) (*group, error) {
	g := &group{}
	if a.least+a.most+a.balanced > 0 {
		g.parts = append(g.parts, &room{l: l, least: a.least, most: a.most, balanced: a.balanced,
			cpu: fraction.NewTable(l, resource.CPU), memory: fraction.NewTable(l, resource.Memory)})
	}
	if a.nodeAffinity > 0 {
		g.parts = append(g.parts, affinity{a.nodeAffinity})
	}
	if a.taints > 0 {
		g.parts = append(g.parts, taints{a.taints})
	}
	if a.images > 0 {
		l.Images.Heed()
		g.parts = append(g.parts, &images{l: l, weight: a.images, byName: map[string]*image{}})
	}
	if a.podAffinity+a.spread > 0 {
		g.affinities = interpod.Of(l)
	}
	if a.podAffinity > 0 {
		g.parts = append(g.parts, podAffinity{a.podAffinity, g.affinities})
	}
	if a.spread > 0 {
		g.affinities.Even()
		g.parts = append(g.parts, spread{a.spread, g.affinities})
	}
	return g, nil
}
