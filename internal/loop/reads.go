package loop

import (
	"maps"
	"sync"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// reads has the kinds that the engine reads. The loop's goroutine writes it, and the observer reads it from another
// one.
type reads struct {
	mu    sync.Mutex
	kinds map[model.Kind]bool
}

// of takes the kinds from an engine, and returns true if they changed.
func (r *reads) of(e *sched.Engine) bool {
	now := map[model.Kind]bool{}
	for _, k := range observe.Kinds() {
		now[k] = e.Reads(k)
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
