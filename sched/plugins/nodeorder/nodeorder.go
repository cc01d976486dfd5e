// Package nodeorder says which of the nodes that may take a task is best.
//
//	leastrequested    much room in cpu and memory          by room
//	mostrequested     little room in them                  by room
//	balancedresource  cpu and memory held in equal measure by room
//	nodeaffinity      preferred node affinity              by facts
//	tainttoleration   few PreferNoSchedule taints          by facts
//
// Each gives a node between 0 and its weight times policy.Points; a score of weight 0
// is left out. They follow kube-scheduler's scores of the same names in integers, a
// thousandth of its point fine. Preferences are worth their part of the highest that
// any admitted node reaches; the engine does that division (policy.StaticOrder).
//
// What a node holds is Used + Pipelined: what tasks hold, the terminating ones
// included until they are gone, and what is promised. Extended resources do not count,
// and a task that asks for nothing counts for nothing (kube-scheduler lends it 100m
// and 200Mi). imagelocality, podaffinity and podtopologyspread are not built yet.
package nodeorder

import (
	"fmt"

	"ashlar.sh/sched/gauge"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// Definition is the plugin "nodeorder". Its arguments are the weights
// leastrequested.weight (1), mostrequested.weight (0), balancedresource.weight (1),
// nodeaffinity.weight (2) and tainttoleration.weight (3): whole numbers from 0 to
// MaxWeight, anything else is an error that names the key.
func Definition() policy.Definition { return policy.Definition{Name: "nodeorder", New: build} }

// MaxWeight bounds a weight, so that no sum of scores leaves int64.
const MaxWeight = 100_000

type group struct{ parts []any }

// Parts lists the scores whose weight is not 0.
func (g *group) Parts() []any { return g.parts }

func build(c policy.Choice, l *ledger.Ledger) (any, error) {
	r := &room{l: l, cpu: gauge.NewTable(l, resource.CPU), memory: gauge.NewTable(l, resource.Memory)}
	var prefers affinity
	var avoids taints
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
	} {
		x, err := c.Arguments.Int(w.key, w.otherwise)
		if err != nil {
			return nil, err
		}
		if x < 0 || x > MaxWeight {
			return nil, fmt.Errorf("argument %s: %d is not a weight; use 0 to leave the score out, at most %d", w.key, x, int64(MaxWeight))
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
	return g, nil
}
