package story

import (
	"slices"
	"strings"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/model"
)

// numa reports the NUMA nodes of nodes, each with its cpus and after a slash how many of them are
// free, all without:
//
//	numa n1 n2 policy=single-numa-node nodes=8,8/4
//
// A kubelet that is shared gives no container cpus of its own.
var numaVerb = verb{syntax: "numa NAME… policy=POLICY nodes=CPUS[/FREE],… [shared] [fault=FIELD]", do: numa}

func numa(s *stage, w *words) error {
	names, err := w.names("the node's name")
	if err != nil {
		return err
	}
	shared := slices.Contains(names, "shared")
	for _, name := range names {
		if name == "shared" {
			continue
		}
		r := &model.NUMA{Meta: model.Meta{Name: name}, Static: !shared, Policy: model.NUMANone}
		for _, word := range w.all {
			if err := numaOption(r, word); err != nil {
				return err
			}
		}
		s.appear(model.KindNUMA, sim.Item{Fact: model.Fact{Object: r}})
	}
	return nil
}

func numaOption(r *model.NUMA, word string) (err error) {
	key, value := option(word)
	switch key {
	case "policy":
		r.Policy = model.NUMAPolicy(value)
	case "nodes":
		for id, text := range strings.Split(value, ",") {
			cpus, free, said := strings.Cut(text, "/")
			c := model.NUMANode{ID: int32(id)}
			if c.CPUs, err = number(key, cpus); err != nil {
				return err
			}
			c.Usable, c.Free = c.CPUs, c.CPUs
			if said {
				if c.Free, err = number(key, free); err != nil {
					return err
				}
			}
			r.Nodes = append(r.Nodes, c)
		}
	case "shared":
	case "fault":
		r.Faults = fault(value)
	default:
		err = unknown(word)
	}
	return err
}

// numaWords reads what a pod of the quality Guaranteed asks of NUMA nodes: cores=4,2 are the whole
// cpus of its containers, numa=POLICY how each is to lie.
func (t *template) numaWords(key, value string) (known bool, err error) {
	if key != "cores" && key != "numa" {
		return false, nil
	}
	d := model.NUMADemand{Policy: model.NUMANone}
	if t.spec.NUMA != nil {
		d = *t.spec.NUMA
	}
	if key == "numa" {
		d.Policy = model.NUMAPolicy(value)
	} else {
		d.Cores = nil
		for _, text := range strings.Split(value, ",") {
			n, bad := number(key, text)
			if bad != nil {
				return true, bad
			}
			d.Cores = append(d.Cores, n)
		}
		slices.Sort(d.Cores)
	}
	t.spec.NUMA = &d
	return true, nil
}
