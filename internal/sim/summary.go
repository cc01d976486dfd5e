package sim

import (
	"slices"
	"time"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// Summary counts over a whole run.
type Summary struct {
	Cycles      int           // that ran; skipped ones do not count
	VirtualTime time.Duration // of the last of them
	Bound       int           // binds carried out
	Pending     int           // pods of ours that have no node, and wait for one
	Evicted     int           // evictions carried out
	// Endless: the run was ended because nothing came from outside for so long (no
	// item, no end of a pod, no caller) that the engine's decisions could only be
	// going round in a circle. It is a fault of the configuration, or of the engine.
	Endless bool
}

// Eviction is the eviction of one pod, as it was carried out.
type Eviction struct {
	Cycle        int // Cycle.Number
	Time         time.Duration
	Pod          ledger.Key
	Job          string // of the pod, without its namespace
	Queue        string // of that job
	Action       string // that evicted: preempt, reclaim …
	PreemptorJob string // namespace/name of the job that is to have the room; "" when there is none

	Record *trace.Eviction // the record of the decision; nil where the action left none
}

// Summary counts over the run so far.
func (w *World) Summary() Summary {
	s := Summary{Cycles: w.cycles, VirtualTime: w.now, Bound: w.bound, Evicted: len(w.evictions), Endless: w.endless()}
	for _, l := range w.objects.lives { // order-free: a count
		if p := l.pod(); p != nil && p.Ours && p.Node == "" && !p.Deleting && !p.Phase.Finished() {
			s.Pending++
		}
	}
	return s
}

// Evictions lists the evictions so far, as they were carried out.
func (w *World) Evictions() []Eviction { return slices.Clone(w.evictions) }
