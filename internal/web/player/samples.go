package player

import (
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// mostSamples is about how many samples a run has.
const mostSamples = 160

// sampleShare: samples take at most one part in so many of the time.
const sampleShare = 4

// Sample is a moment of a what-if in figures. Amounts are in the engine's units, as those of a Point.
type Sample struct {
	Seconds float64          `json:"seconds"` // virtual
	Waiting int              `json:"waiting"` // jobs
	Running int              `json:"running"` // jobs that have pods on nodes
	Evicted int              `json:"evicted"` // pods, so far
	Used    map[string]int64 `json:"used"`    // by resource
}

// sampler takes samples of a run.
type sampler struct {
	each  time.Duration // virtual, between two of them at least
	now   func() time.Time
	list  []Sample
	taken time.Time     // when the last one was taken, and what it cost
	cost  time.Duration // of the wall's time
}

// look takes a sample if one is due.
func (s *sampler) look(w *sim.World, at time.Duration) {
	n := len(s.list)
	if n > 0 && (at.Seconds()-s.list[n-1].Seconds < s.each.Seconds() || s.now().Sub(s.taken) < sampleShare*s.cost) {
		return
	}
	s.take(w, at)
}

// take reads the ledger, which is much cheaper than a report: samples lie so near to each other that averages hold.
func (s *sampler) take(w *sim.World, at time.Duration) {
	begun := s.now()
	e := w.Engine()
	led := e.Ledger()
	out := Sample{Seconds: at.Seconds(), Evicted: w.Summary().Evicted, Used: map[string]int64{}}
	led.Jobs.Each(func(id ledger.JobID) bool {
		by := led.Job(id).By
		if e.Refusal(id).Is() {
			out.Waiting++
		}
		if by[model.Running]+by[model.Bound]+by[model.Binding] > 0 {
			out.Running++
		}
		return true
	})
	for d := range led.Dims.Len() {
		sum := int64(0)
		led.Nodes.Present(func(n ledger.NodeID) bool {
			sum += led.Nodes.Used(resource.Dim(d), n)
			return true
		})
		out.Used[led.Dims.Name(resource.Dim(d))] = sum
	}
	s.list = append(s.list, out)
	s.taken = s.now()
	s.cost = s.taken.Sub(begun)
}
