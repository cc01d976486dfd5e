package loop

import (
	"maps"
	"slices"
	"sync"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// reads has the kinds that the engine reads, and one that is to take its place. The loop's goroutine writes it, and the
// observer reads it from another one.
type reads struct {
	mu    sync.Mutex
	kinds map[model.Kind]bool
}

// of takes the kinds from engines, nil for none, and returns true if they changed.
func (r *reads) of(engines ...*sched.Engine) bool {
	now := map[model.Kind]bool{}
	for _, k := range observe.Kinds() {
		now[k] = slices.ContainsFunc(engines, func(e *sched.Engine) bool { return e != nil && e.Reads(k) })
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	differs := !maps.Equal(now, r.kinds)
	r.kinds = now
	return differs
}

func (r *reads) has(k model.Kind) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kinds[k]
}
