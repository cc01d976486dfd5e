package player

import (
	"testing"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/model"
)

// Of the latest moment, once time stands still, it is told when jobs start, in the list, in queues and in what is
// answered about a job. While it plays nothing is told, nor of moments after it goes on.
func TestStartsAreToldWhileTimeStandsStill(t *testing.T) {
	p := player(t, cluster(limited(job("first", "a", 0, 8)), job("second", "a", 10*time.Second, 6)))
	until(p, 20*time.Second)
	second := func() *explain.Job {
		return answer[List[explain.Job]](t, p, "/v1/jobs?waiting=true", "").Items[0]
	}
	p.playing = true
	if p.estimate(); second().Start != nil {
		t.Fatalf("while it plays it is told that it starts %+v", second().Start)
	}
	p.playing = false
	before, _, changed := p.at()
	p.estimate()
	select {
	case <-changed:
	default:
		t.Error("streams are not told of it")
	}
	start := second().Start
	if start == nil || start.Earliest != start.Latest || start.Earliest < "1970-01-01T01:00:00Z" ||
		start.Earliest > "1970-01-01T01:00:05Z" {
		t.Fatalf("when those that run for an hour have ended, it starts %+v", start)
	}
	got := answer[explain.Answer](t, p, "/v1/why/job/ns/second", "").Start
	if got == nil || got.Earliest != start.Earliest {
		t.Errorf("why: it starts %+v", got)
	}
	if q := answer[List[explain.QueueStand]](t, p, "/v1/queues", "").Items[0]; q.Start == nil ||
		q.Start.Earliest != start.Earliest {
		t.Errorf("queue %s: its first job starts %+v", q.Name, q.Start)
	}
	if f, _, _ := p.at(); f.number != before.number || f.pods.list[0] != before.pods.list[0] {
		t.Error("it is another moment, or has other pods")
	}
	p.cycle()
	if p.take(); second().Start != nil {
		t.Errorf("after it went on it is told that it starts %+v", second().Start)
	}
}

// limited has the pods of a job limited to the hour that they run for.
func limited(job []sim.Item) []sim.Item {
	for i := range job {
		if pod, is := job[i].Fact.Object.(*model.Pod); is {
			pod.SetRare(model.Times{Limit: int64(time.Hour)})
		}
	}
	return job
}

// asked counts how often starts are estimated.
type asked struct {
	World
	times  int
	during func()
}

func (w *asked) CoarseStarts(stop func() bool) (*estimate.Starts, error) {
	w.times++
	w.during()
	return w.World.CoarseStarts(stop)
}

// A moment is estimated once, and not at all where it is not shown or where copies are made for something else. A run
// that is set going meanwhile does not wait for it.
func TestAMomentIsEstimatedOnce(t *testing.T) {
	p := player(t, cluster(limited(job("first", "a", 0, 8)), job("second", "a", 10*time.Second, 6)))
	w := &asked{World: p.w, during: func() {}}
	p.w = w
	until(p, 20*time.Second)
	p.playing = false
	p.copying <- struct{}{}
	if p.estimate(); w.times != 0 {
		t.Error("it was estimated beside a what-if")
	}
	<-p.copying
	answer[State](t, p, "/v1/play", `{"seek": 1}`)
	if p.estimate(); w.times != 0 {
		t.Error("it was estimated although the past was shown")
	}
	answer[State](t, p, "/v1/play", `{"seek": 1e9}`)
	w.during = func() { answer[State](t, p, "/v1/play", `{"playing": true}`) }
	p.estimate()
	if start := answer[List[explain.Job]](t, p, "/v1/jobs?waiting=true", "").Items[0].Start; w.times != 1 || start != nil {
		t.Errorf("set going meanwhile, after %d estimates it starts %+v", w.times, start)
	}
	w.during = func() {}
	p.playing = false
	p.take()
	for range 3 {
		p.estimate()
	}
	if start := answer[List[explain.Job]](t, p, "/v1/jobs?waiting=true", "").Items[0].Start; w.times != 2 || start == nil {
		t.Errorf("standing still, after %d estimates it starts %+v", w.times, start)
	}
}

var _ World = (*sim.World)(nil)
