package sched

import (
	"ashlar.sh/sched/model"
)

// changeNUMA reports a node's NUMA nodes, or ends the report. A report need not agree with the node, nor with the pods
// on it.
func (w *world) changeNUMA() {
	name := w.nodeName()
	if w.n(3) == 3 {
		w.tell(model.KindNUMA, "", name, "numa-"+name, nil)
		return
	}
	r := &model.NUMA{Meta: w.meta("", name), Static: !w.rarely(), Policy: w.numaPolicy()}
	r.UID = "numa-" + name
	for id := range 1 + w.n(2) {
		cpus := int32(1 + w.n(3))
		usable := cpus - int32(w.n(1))
		r.Nodes = append(r.Nodes, model.NUMANode{ID: int32(id), CPUs: cpus, Usable: usable, Free: min(usable, int32(w.n(3)))})
	}
	w.tell(model.KindNUMA, "", name, r.UID, r)
}

func (w *world) numaPolicy() model.NUMAPolicy {
	return []model.NUMAPolicy{model.NUMASingle, model.NUMARestricted, model.NUMABestEffort, model.NUMANone}[w.n(3)]
}

// numa is what a pod asks of NUMA nodes, nothing more often than not.
func (w *world) numa() *model.NUMADemand {
	if w.n(3) < 3 {
		return nil
	}
	d := &model.NUMADemand{Policy: model.NUMANone}
	if w.yes() {
		d.Policy = w.numaPolicy()
	}
	for i := range 1 + w.n(1) {
		d.Cores = append(d.Cores, int32(1+i+w.n(1)))
	}
	return d
}
