package translate

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Annotations of nodes by which Volcano's agent lends what pods asked for and do not use: thousandths
// of a core, bytes, and that for now nothing is lent.
const (
	oversubscriptionCPU    = "volcano.sh/oversubscription-cpu"
	oversubscriptionMemory = "volcano.sh/oversubscription-memory"
	offlineJobEvicting     = "volcano.sh/offline-job-evicting"
)

// Oversubscription is those of a node's annotations that Node reads; nil where there are none.
func Oversubscription(annotations map[string]string) map[string]string {
	var out map[string]string
	for _, key := range []string{oversubscriptionCPU, oversubscriptionMemory, offlineJobEvicting} {
		if text, given := annotations[key]; given {
			if out == nil {
				out = map[string]string{}
			}
			out[key] = text
		}
	}
	return out
}

// oversubscribed adds to what a node has what its annotations lend: to all pods and whatever its
// label volcano.sh/oversubscription says, as Volcano does, but nothing while offline jobs are
// evicted from it for want of room. What is no amount lends nothing.
func (f *faults) oversubscribed(n *model.Node, annotations map[string]string) {
	if truth(offlineJobEvicting, annotations) {
		return
	}
	for _, lent := range []struct{ key, name string }{{oversubscriptionCPU, resource.CPUName},
		{oversubscriptionMemory, resource.MemoryName}} {
		text, given := annotations[lent.key]
		if !given {
			continue
		}
		v, wrong := lentAmount(text, lent.name)
		if wrong != "" {
			f.taken(annotation(lent.key), "%q is %s: 0 taken", short(text), wrong)
			continue
		}
		n.Capacity, n.Allocatable = more(n.Capacity, lent.name, v), more(n.Allocatable, lent.name, v)
	}
}

// lentAmount reads an amount in the units of the engine, in any form in which a number is written; parts
// of a unit are left out. wrong says why there is none.
func lentAmount(text, name string) (v int64, wrong string) {
	x, err := strconv.ParseFloat(text, 64)
	switch most := objectBound(name); {
	case err != nil && !math.IsInf(x, 0), math.IsNaN(x):
		return 0, "not a number"
	case x < 0:
		return 0, "negative"
	case x > float64(most):
		return 0, fmt.Sprintf("more than the bound of %s", written(name, most))
	}
	return int64(x), ""
}

// more is a list with an amount added, held at its bound.
func more(list resource.List, name string, by int64) resource.List {
	if by == 0 {
		return list
	}
	list = slices.Clone(list)
	for i := range list {
		if list[i].Name == name {
			list[i].Value = min(list[i].Value+by, objectBound(name))
			return list
		}
	}
	return resource.Normalize(append(list, resource.Amount{Name: name, Value: by}))
}
