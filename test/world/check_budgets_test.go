package world

import (
	"fmt"
	"net/http"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// budgets play the disruption controller, and check that schedulers keep to what it allows.
type budgets struct {
	w       *World
	kind    *apimodel.Kind
	allowed map[string]*window // how many pods may be disrupted, by job
}

func newBudgets(w *World) *budgets {
	return &budgets{w: w, kind: w.api.Kind("policy", "poddisruptionbudgets"), allowed: map[string]*window{}}
}

// make gives a job a budget: its minimum stays, or, of every other one, all of it.
func (b *budgets) make(one *job) {
	if one.stay = one.least; len(b.w.jobs.all)%2 == 0 {
		one.stay = one.pods
	}
	b.w.make("policy", "poddisruptionbudgets", map[string]any{
		"metadata": map[string]any{"name": one.name, "namespace": userNamespace},
		"spec": map[string]any{"minAvailable": one.stay,
			"selector": map[string]any{"matchLabels": map[string]any{jobLabel: one.name}}}})
	b.count(one)
}

// count writes what a job's budget allows.
func (b *budgets) count(one *job) {
	budget := b.w.api.Get(b.kind, userNamespace, one.name)
	if budget == nil {
		return
	}
	healthy, pods := 0, 0
	for i := range one.pods {
		if p := b.w.api.Get(b.w.jobs.pods, userNamespace, podName(one, i)); p != nil {
			pods++
			if text(p.Object, "status", "phase") == "Running" && p.Meta().GetDeletionTimestamp() == nil {
				healthy++
			}
		}
	}
	allowed := max(0, healthy-one.stay)
	if b.allowed[one.name] == nil {
		b.allowed[one.name] = &window{}
	}
	b.allowed[one.name].add(int64(allowed))
	was := asMap(budget.Object["status"])
	if fmt.Sprint(was["currentHealthy"], was["expectedPods"], was["observedGeneration"]) == fmt.Sprint(healthy, pods,
		budget.Meta().GetGeneration()) {
		return // a controller that finds nothing new writes nothing
	}
	b.w.do(http.MethodPatch, b.kind.Path(userNamespace, one.name, "status"), map[string]any{"status": map[string]any{
		"disruptionsAllowed": allowed, "currentHealthy": healthy, "desiredHealthy": one.stay, "expectedPods": pods,
		"observedGeneration": budget.Meta().GetGeneration()}})
}

func (b *budgets) clear(one *job) {
	b.w.do(http.MethodDelete, b.kind.Path(userNamespace, one.name), map[string]any{})
	delete(b.allowed, one.name)
}

// restored forgets the budgets that are not in the store that was put back.
func (b *budgets) restored() {
	for name := range b.allowed {
		if b.w.api.Get(b.kind, userNamespace, name) == nil {
			delete(b.allowed, name)
		}
	}
}

// wrote counts anew after a write of a pod.
func (b *budgets) wrote(write apimodel.Write) {
	p := write.After
	if p == nil {
		p = write.Before
	}
	if write.Kind != b.w.jobs.pods || p.Meta().GetNamespace() != userNamespace {
		return
	}
	if one := b.w.jobs.of(p); one != nil {
		b.count(one)
	}
}

// countedAfter is how long a state lasts, of a pod or a node, before every scheduler that acts has seen it.
const countedAfter = 100 * time.Second

// counted is countedAfter, or a few seconds where nothing delays what schedulers see.
func (w *World) counted() time.Duration {
	if w.Trouble == (Trouble{}) {
		return 5 * time.Second
	}
	return countedAfter
}

// evicted checks that a budget allowed, at some time that a scheduler may still have seen, to evict a healthy pod.
func (b *budgets) evicted(write apimodel.Write, p *apimodel.Stored) {
	one := b.w.jobs.of(p)
	if one == nil || b.allowed[one.name] == nil || !b.w.conf.budgets {
		return
	}
	since := b.w.nodes.ran[p.Meta().GetUID()]
	if since.IsZero() || time.Since(since) < b.w.counted() {
		return
	}
	if b.allowed[one.name].most() == 0 {
		b.w.wrong("%s evicted %s, whose budget allows no disruption: %s", write.Client, write.Key(),
			b.w.check.why[p.Meta().GetUID()])
	}
}
