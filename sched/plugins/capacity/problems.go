package capacity

import (
	"fmt"
	"strconv"
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// Problems lists what queues guarantee or deserve and cannot have: children of which the guarantees, or deserved, add
// up to more than their parent's, and a capability above the parent's (seed 001 §3.2: these are warnings, no job waits
// for them). Below a root that names nothing, the cluster is the limit; a dimension that no node offers is no
// contradiction there, since nodes may still come.
func (p *plugin) Problems() []policy.Problem {
	p.refresh()
	var out []policy.Problem
	sums := make([]family, p.l.Queues.Len())
	order := p.report.sharing()
	for _, q := range order {
		if q == p.bounds.root {
			continue
		}
		queue, up := p.l.Queue(q), p.rows[q].up
		sums[up].guarantee = sums[up].guarantee.Add(queue.Guarantee)
		sums[up].deserved = sums[up].deserved.Add(queue.Deserved)
		out = append(out, p.report.reaches(q)...)
	}
	for _, q := range order {
		out = append(out, p.report.ofChildren(q, sums[q])...)
	}
	return out
}

// family is the sum of what a queue's children are guaranteed and deserve.
type family struct{ guarantee, deserved resource.Sums }

// ofChildren compares a queue with its children.
func (rp *reports) ofChildren(q ledger.QueueID, children family) []policy.Problem {
	var out []policy.Problem
	queue := rp.p.l.Queue(q)
	for d := range resource.Dim(rp.p.bounds.dims) {
		if d == resource.Pods {
			continue
		}
		guarantee, counts := queue.Guarantee.Get(d), true
		if q == rp.p.bounds.root && queue.Guarantee.Get(d) == 0 {
			guarantee, counts = rp.p.bounds.real(q, d), rp.p.bounds.offered(d)
		}
		if sum := children.guarantee.Get(d); counts && sum > guarantee {
			out = append(out, rp.problem(queue.Name, "guarantee.resource", d,
				"its children are guaranteed %s, and it has %s to guarantee: not all of it can be kept", sum, guarantee))
		}
		sum, deserved := children.deserved.Get(d), queue.Deserved.Get(d)
		if deserved > 0 && sum > deserved {
			out = append(out, rp.problem(queue.Name, "deserved", d,
				"its children deserve %s, and it deserves %s: they cannot all have theirs", sum, deserved))
		}
	}
	return out
}

// reaches compares a queue's capability with those of its ancestors.
func (rp *reports) reaches(q ledger.QueueID) []policy.Problem {
	var out []policy.Problem
	for d := range resource.Dim(rp.p.bounds.dims) {
		own := bound(rp.p.l.Queue(q), d)
		if !own.Bounded || d == resource.Pods {
			continue
		}
		for at := rp.p.rows[q].up; at != ledger.NoQueue; at = rp.p.rows[at].up {
			queue := rp.p.l.Queue(at)
			if above := bound(queue, d); above.Bounded {
				if own.Value > above.Value {
					out = append(out, rp.problem(rp.p.l.Queue(q).Name, "capability", d,
						"it is %s, and queue "+queue.Name+" above may hold %s: that holds", own.Value, above.Value))
				}
				break
			}
		}
	}
	return out
}

func (rp *reports) problem(queue, field string, d resource.Dim, format string, a, b int64) policy.Problem {
	name := rp.p.l.Dims.Name(d)
	return policy.Problem{Object: string(model.KindQueue) + "/" + queue,
		Message: "spec." + field + "." + name + ": " + fmt.Sprintf(format, written(name, a), written(name, b))}
}

// written is an amount as a manifest writes it: bytes with the largest suffix that leaves them whole,
// everything else from its thousandths.
func written(name string, x int64) string {
	bytes := name == resource.MemoryName || name == "ephemeral-storage" || strings.HasPrefix(name, "hugepages-")
	if !bytes {
		if x%1000 != 0 {
			return strconv.FormatInt(x, 10) + "m"
		}
		return strconv.FormatInt(x/1000, 10)
	}
	suffix := ""
	for _, s := range []string{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"} {
		if x == 0 || x%1024 != 0 {
			break
		}
		x, suffix = x/1024, s
	}
	return strconv.FormatInt(x, 10) + suffix
}
