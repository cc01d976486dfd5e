package world

import (
	"net/http"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// rival plays Volcano's scheduler, which takes over for a while and gives back: it has the same lease, lets gangs in,
// and binds their pods one by one, without saying which life of a pod it means. It can be ended in the midst of a gang.
type rival struct {
	w     *World
	until time.Time // it runs until then
	holds bool
	seen  string    // the version of the lease that it saw last
	since time.Time // and when that came
}

const (
	rivalName  = "volcano"
	leaseLasts = 15 * time.Second
)

func newRival(w *World) *rival { return &rival{w: w} }

func (r *rival) begin() {
	w := r.w
	w.every(w.Trouble.Volcano, func() {
		if time.Now().Before(r.until) {
			return
		}
		w.did("Volcano's scheduler started")
		r.until = time.Now().Add(w.between(20*time.Second, 2*time.Minute))
		for _, p := range w.procs {
			w.kill(p)
		}
		r.tick()
	})
}

func (r *rival) tick() {
	if r.w.calm || time.Now().After(r.until) {
		if r.holds {
			r.lease(func(spec map[string]any) { spec["holderIdentity"] = "" })
			r.holds = false
		}
		return
	}
	r.elect()
	if r.holds {
		r.schedule()
	}
	r.w.seq.after(r.w.between(500*time.Millisecond, 2*time.Second), r.tick)
}

// elect takes the lease when it has run out, and renews it.
func (r *rival) elect() {
	now := r.w.api.Get(r.w.check.lease, leaseNamespace, "volcano")
	if now == nil {
		return // the first one to lead makes it
	}
	if v := now.Meta().GetResourceVersion(); v != r.seen && !r.holds {
		r.seen, r.since = v, time.Now()
	}
	holder := text(now.Object, "spec", "holderIdentity")
	r.holds = holder == rivalName
	if r.holds || holder == "" || time.Since(r.since) > leaseLasts+time.Second {
		r.holds = r.lease(func(spec map[string]any) {
			spec["holderIdentity"], spec["leaseDurationSeconds"] = rivalName, int64(leaseLasts/time.Second)
			spec["renewTime"] = time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")
		})
	}
}

// lease changes the lease.
func (r *rival) lease(change func(spec map[string]any)) bool {
	now := r.w.api.Get(r.w.check.lease, leaseNamespace, "volcano")
	object := now.Meta().DeepCopy().Object
	spec, _ := object["spec"].(map[string]any)
	change(spec)
	return r.do(http.MethodPut, r.w.check.lease.Path(leaseNamespace, "volcano"), object).Code == http.StatusOK
}

func (r *rival) do(method, path string, body any) apimodel.Response {
	return r.w.doAs(rivalName, method, path, body)
}

// schedule lets a few gangs in, and binds pods of those that fit as a whole.
func (r *rival) schedule() {
	w := r.w
	used, count := map[string]int64{}, map[string]int{}
	waiting := map[string][]*apimodel.Stored{}
	held := map[string]int{}
	for _, p := range w.api.List(w.jobs.pods) {
		node, phase := text(p.Object, "spec", "nodeName"), text(p.Object, "status", "phase")
		group := p.Meta().GetAnnotations()[groupAnnotation]
		switch {
		case p.Meta().GetNamespace() == systemNamespace:
			used[node] += coresOf(p)
		case p.Meta().GetNamespace() != userNamespace:
		case node == "" && p.Meta().GetDeletionTimestamp() == nil:
			waiting[group] = append(waiting[group], p)
		case phase != "Succeeded" && phase != "Failed":
			used[node] += coresOf(p)
			count[node]++
			held[group]++
		default:
			held[group]++
		}
	}
	for _, one := range w.jobs.alive() {
		if len(waiting[one.name])+held[one.name] < one.least || len(waiting[one.name]) == 0 ||
			one.devices > 0 || one.volume || one.zone != "" || one.rack { // it looks at cores alone
			continue
		}
		r.do(http.MethodPatch, w.jobs.groups.Path(userNamespace, one.name),
			map[string]any{"status": map[string]any{"phase": "Inqueue"}})
		for _, p := range waiting[one.name] {
			for i := range w.Nodes {
				node := nodeName(i)
				if w.nodes.up[node] && used[node]+coresOf(p) <= w.others.now(node) && count[node] < nodePods {
					used[node] += coresOf(p)
					count[node]++
					w.check.spare(one.name)
					w.did("a pod bound by Volcano")
					r.do(http.MethodPost, w.jobs.pods.Path(userNamespace, p.Meta().GetName(), "binding"),
						map[string]any{"target": map[string]any{"kind": "Node", "name": node},
							"metadata": map[string]any{"name": p.Meta().GetName(), "namespace": userNamespace}})
					break
				}
			}
			if w.chance(0.1) {
				return // it is ended, or slow
			}
		}
	}
}
