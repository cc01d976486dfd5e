package player

import "time"

// estimateWithin is how long it is looked for when jobs start; making the copies for it comes on top.
const estimateWithin = 2 * time.Second

// mostEstimated is up to how many jobs that wait are estimated: with more, the work and the rows that change are felt
// on the page.
const mostEstimated = 2000

// estimate finds when the jobs of the latest moment start, once that is shown and time stands still: while a run plays,
// what is estimated would be over when it is read. The frame is replaced by one that has the starts.
func (p *Player) estimate() {
	f, standing := p.stands()
	waiting := 0
	for _, n := range f.point.Waiting { // order-free: a sum
		waiting += n
	}
	if !standing || f.number == p.asked || waiting > mostEstimated {
		return
	}
	select {
	case p.copying <- struct{}{}:
		defer func() { <-p.copying }()
	default: // copies are made for a what-if: later
		return
	}
	p.asked = f.number
	end := p.o.Now().Add(estimateWithin)
	p.world.Lock()
	defer p.world.Unlock()
	starts, err := p.w.CoarseStarts(func() bool {
		at, standing := p.stands()
		return !standing || at != f || p.o.Now().After(end)
	})
	if _, standing := p.stands(); err != nil || !standing {
		return // the engine cannot be copied, or time goes on: no start is told
	}
	with, _ := p.frame(f, starts)
	with.number = f.number // it is the same moment
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.ring.frames) - 1; p.ring.frames[last] == f {
		p.ring.frames[last] = with
		p.wake()
	}
}

// stands returns the frame that is shown, and whether it is the latest moment of a run that does not play.
func (p *Player) stands() (*frame, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.ring.frames[p.shown]
	return f, !p.playing && p.shown == len(p.ring.frames)-1
}
