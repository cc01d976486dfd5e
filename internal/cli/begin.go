package cli

import (
	"math"
	"time"

	"ashlar.sh/sched/model"
)

// mostBegin is the latest moment at which a simulation begins, in the year 2116: virtual time has to fit after it.
const mostBegin = math.MaxInt64 / 2

// begin is the time of the first cycle, in nanoseconds since the epoch: a second after the newest moment that the
// objects speak of, a creationTimestamp or the start of a pod. Both are cut to whole seconds, so all that the files
// show had happened by then, and what has no timestamp comes after it. It is 0 where no object speaks of a moment, and
// for a trace: its moments are distances from its own begin. A live cluster begins at the time at which it was read.
func (in input) begin() (newest int64) {
	switch {
	case in.watch != nil:
		return 0
	case in.at > 0:
		return in.at
	}
	for _, i := range in.items {
		if i.Fact.Object == nil {
			continue
		}
		newest = later(newest, i.Fact.Object.Common().Created)
		if p, ok := i.Fact.Object.(*model.Pod); ok {
			newest = later(newest, p.Started)
		}
	}
	if newest > 0 {
		newest += int64(time.Second)
	}
	return newest
}

// later is the later of two moments, of which the second counts only where a simulation may begin with it.
func later(a, b int64) int64 {
	if b > mostBegin {
		return a
	}
	return max(a, b)
}
