package loop

import (
	"maps"
	"sync"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// reads is which kinds the engine reads. The observer asks it from a goroutine of its
// own, and the engine answers in the loop's alone.
type reads struct {
	mu    sync.Mutex
	kinds map[model.Kind]bool
}

// of takes an engine's answers and says that they differ from those before.
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
