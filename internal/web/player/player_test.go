package player

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/sim"
)

// What is shown at a moment is the world's report of that moment, also after the run has gone on.
func TestWindingBackShowsWhatWas(t *testing.T) {
	p := player(t, cluster(job("first", "a", 0, 4), job("second", "a", 10*time.Second, 6)))
	until(p, 5*time.Second)
	then := answer[List[explain.Job]](t, p, "/v1/jobs", "")
	until(p, 20*time.Second)
	if now := answer[List[explain.Job]](t, p, "/v1/jobs", ""); len(now.Items) != 2 || now.Items[1].Reason.Code == "" {
		t.Fatalf("after both came: %+v", now.Items)
	}
	s := answer[State](t, p, "/v1/play", `{"seek": 5}`)
	if s.Play.Now > 5 || s.Play.Edge < 10 {
		t.Errorf("after winding back: %+v", s.Play)
	}
	back := answer[List[explain.Job]](t, p, "/v1/jobs", "")
	if len(back.Items) != 1 || fmt.Sprint(*back.Items[0]) != fmt.Sprint(*then.Items[0]) {
		t.Errorf("wound back:\n%+v\nthen:\n%+v", *back.Items[0], *then.Items[0])
	}
	until(p, 30*time.Second) // the run goes on: what is shown stays
	if f, _, _ := p.at(); f.now > 5*time.Second {
		t.Errorf("the run carried what is shown on to %s", f.now)
	}
	if s := answer[State](t, p, "/v1/play", `{"seek": 1e9}`); s.Play.Now != s.Play.Edge {
		t.Errorf("at the latest: %+v", s.Play)
	}
}

// Playing goes over what is there first, then the world runs on; at the end it stops.
func TestPlaying(t *testing.T) {
	p := player(t, cluster(job("first", "a", 0, 4), job("second", "a", 10*time.Second, 6)))
	until(p, 20*time.Second)
	answer[State](t, p, "/v1/play", `{"seek": 1, "playing": true, "speed": 4}`)
	if ran := p.advance(time.Second); ran {
		t.Error("the world ran while the past was shown")
	}
	if f, s, _ := p.at(); s.Play.Now != 5 || f.now > 5*time.Second {
		t.Errorf("after a second at speed 4 from 1: at %v, frame %s", s.Play.Now, f.now)
	}
	answer[State](t, p, "/v1/play", `{"seek": 1e9, "speed": 100000}`)
	for range 20 {
		p.advance(time.Second)
		p.take()
	}
	_, s, _ := p.at()
	if !s.Play.Ended || s.Play.Playing || s.Play.Edge < 7200 {
		t.Errorf("in the end: %+v", s.Play)
	}
	if s := answer[State](t, p, "/v1/play", `{"playing": true}`); s.Play.Playing {
		t.Error("a run that has ended plays")
	}
}

// interrupted is a world in which something happens while a cycle runs.
type interrupted struct {
	World
	during func()
}

func (w interrupted) Step() (sim.Cycle, bool) {
	c, more := w.World.Step()
	w.during()
	return c, more
}

// Wound back while cycles run, the player is at the moment that was gone to, and not at the end of what ran meanwhile.
func TestWindingBackWhileItRuns(t *testing.T) {
	p := player(t, cluster(job("first", "a", 0, 4), job("second", "a", 10*time.Second, 6)), func(o *Options) {
		o.Grain, o.Speed, o.Paused = time.Second, 60, false
	})
	before := len(p.ring.frames)
	p.w = interrupted{p.w, func() {
		if now := len(p.ring.frames); now >= before+3 && p.playing {
			halt, back := false, p.ring.frames[before].now.Seconds()
			if err := p.Do(Command{Playing: &halt, Seek: &back}); err != nil {
				t.Error(err)
			}
		}
	}}
	p.advance(time.Second)
	f, s, _ := p.at()
	if s.Play.Playing || s.Play.Now != f.now.Seconds() || s.Play.Now >= s.Play.Edge {
		t.Errorf("the moment of %s is shown, and the player says %+v", f.now, *s.Play)
	}
}

func TestBadCommands(t *testing.T) {
	p := player(t, cluster())
	for body, want := range map[string]int{
		`{"speed": 0}`: 400, `{"speed": 1e9}`: 400, `{"seek": -1}`: 400, `{"seek": "x"}`: 400, `{"faster": 1}`: 400, `{`: 400,
	} {
		if got := ask(p, "/v1/play", body); got.Code != want {
			t.Errorf("%s: %d %s", body, got.Code, got.Body)
		}
	}
	for path, want := range map[string]int{"/v1/jobs?limit=0": 400, "/v1/jobs?limit=9999": 400,
		"/v1/jobs?continue=%21":   400,
		"/v1/watch?kinds=secrets": 400, "/v1/why/queue/none": 404, "/v1/none": 404} {
		if got := ask(p, path, ""); got.Code != want {
			t.Errorf("%s: %d %s", path, got.Code, got.Body)
		}
	}
	still := player(t, cluster(), func(o *Options) { o.Source = "dump" })
	if got := ask(still, "/v1/play", `{"playing": true}`); got.Code != http.StatusConflict {
		t.Errorf("playing a saved state: %d", got.Code)
	}
}

// A client that follows the stream has what a new one gets, wherever in time it was taken.
func TestTheStreamFollows(t *testing.T) {
	p := player(t, cluster(job("first", "a", 0, 4), job("second", "b", 10*time.Second, 6)))
	r := watch(t, p)
	r.moment(t)
	for _, step := range []func(){
		func() { until(p, 20*time.Second) },
		func() { answer[State](t, p, "/v1/play", `{"seek": 3}`) },
		func() { answer[State](t, p, "/v1/play", `{"seek": 1e9}`) },
	} {
		step()
		f, _, _ := p.at()
		for r.moment(t); r.last.Play.Frame != f.number; r.moment(t) {
		}
		if len(r.jobs) != len(f.jobs.list) {
			t.Fatalf("at %s the client has %d jobs, want %d", f.now, len(r.jobs), len(f.jobs.list))
		}
		for _, j := range f.jobs.list {
			if want := text(t, j); r.jobs[j.Name] != want {
				t.Errorf("at %s the client has\n%s\nwant\n%s", f.now, r.jobs[j.Name], want)
			}
		}
	}
}

// Lists come in pages that have each row once.
func TestPages(t *testing.T) {
	p := player(t, cluster(job("wide", "a", 0, 1203)))
	until(p, 2*time.Second)
	seen, path := map[string]bool{}, "/v1/pods?namespace=ns&job=wide&limit=500"
	for next := ""; ; {
		got := answer[List[explain.Pod]](t, p, path+"&continue="+next, "")
		for _, pod := range got.Items {
			if seen[pod.Name] {
				t.Fatalf("%s comes twice", pod.Name)
			}
			seen[pod.Name] = true
		}
		if next = got.Continue; next == "" {
			break
		}
	}
	if len(seen) != 1203 {
		t.Errorf("%d pods came, want 1203", len(seen))
	}
	if got := answer[List[explain.Pod]](t, p, "/v1/pods?node=n1", ""); len(got.Items) != 0 {
		t.Errorf("%d pods on n1, of a gang that has no room", len(got.Items))
	}
}

// A ring keeps the first and the last moment, whatever happens between, and no more than it may.
func TestTheRingIsBounded(t *testing.T) {
	r := ring{most: 10, heavy: 1000, grain: time.Second}
	for i := range 500 {
		r.add(&frame{number: uint64(i + 1), now: time.Duration(i) * time.Second}, 50)
		if len(r.frames) > 10 || r.weight > 1000 {
			t.Fatalf("%d frames of weight %d", len(r.frames), r.weight)
		}
		if r.frames[0].number != 1 || r.frames[len(r.frames)-1].number != uint64(i+1) {
			t.Fatalf("after %d frames the ring is from %d to %d", i+1, r.frames[0].number, r.frames[len(r.frames)-1].number)
		}
	}
	if at := r.find(250 * time.Second); r.frames[at].now > 250*time.Second || r.frames[at+1].now <= 250*time.Second {
		t.Errorf("at 250 s it finds %s", r.frames[at].now)
	}
	heavy := ring{most: 10, heavy: 100}
	for i := range 20 {
		heavy.add(&frame{number: uint64(i)}, 1000)
	}
	if len(heavy.frames) > 3 {
		t.Errorf("%d frames, each of which is too heavy", len(heavy.frames))
	}
}

// Rows that did not change are the same objects in two frames.
func TestFramesShareWhatIsEqual(t *testing.T) {
	p := player(t, cluster(job("first", "a", 0, 4), job("late", "b", time.Minute, 1)))
	until(p, 30*time.Second)
	before, _, _ := p.at()
	until(p, 2*time.Minute)
	after, _, _ := p.at()
	if after.jobs.list[0] != before.jobs.list[0] || after.pods.list[0] != before.pods.list[0] {
		t.Error("a job that runs as before is another object")
	}
	if len(after.jobs.list) != 2 {
		t.Errorf("%d jobs", len(after.jobs.list))
	}
}

func TestAQueuesArithmetic(t *testing.T) {
	p := player(t, cluster(job("first", "a", 0, 4)))
	until(p, 5*time.Second)
	got := answer[explain.Answer](t, p, "/v1/why/queue/a", "").Queue
	if got == nil || got.Why == nil || got.Why.Queue != "a" || len(got.Why.Resources) == 0 {
		t.Errorf("the arithmetic of queue a is %+v", got)
	}
}

// At the latest moment, while time stands still, a job that waits is told what it passed, and what would make it run.
func TestWhyAJobWaits(t *testing.T) {
	p := player(t, cluster(job("full", "a", 0, 8), job("waits", "b", time.Second, 2)))
	until(p, 30*time.Second)
	got := answer[explain.Answer](t, p, "/v1/why/job/ns/waits", "")
	if got.State != explain.WaitsForRoom && got.State != explain.WaitsForQueue || len(got.Path) < 3 || got.Reason == nil {
		t.Errorf("the answer is %+v", got)
	}
	if len(got.Changes) > 0 {
		t.Errorf("while it plays it was looked for what would make it run: %+v", got.Changes)
	}
	answer[State](t, p, "/v1/play", `{"playing": false}`)
	if got := answer[explain.Answer](t, p, "/v1/why/job/ns/waits", ""); len(got.Changes) == 0 {
		t.Error("nothing is known that would make it run")
	}
	if got := ask(p, "/v1/why/job/ns/none", ""); got.Code != http.StatusNotFound {
		t.Errorf("a job that does not exist: %d", got.Code)
	}
	answer[State](t, p, "/v1/play", `{"seek": 0}`)
	if got := ask(p, "/v1/why/job/ns/waits", ""); got.Code != http.StatusConflict {
		t.Errorf("in the past: %d", got.Code)
	}
}

// A player that begins later shows that time first, and what was before can be wound back to.
func TestBeginningLater(t *testing.T) {
	jobs := cluster(job("first", "a", 0, 4), job("second", "a", time.Hour/2, 2), job("third", "b", 3*time.Hour, 1))
	p := player(t, jobs, func(o *Options) { o.From, o.Paused = 2*time.Hour, true })
	_, s, _ := p.at()
	if s.Play.Now != 7200 || s.Play.Playing || s.Play.Ended {
		t.Errorf("it begins at %+v", s.Play)
	}
	if now := answer[List[explain.Job]](t, p, "/v1/jobs", ""); len(now.Items) != 2 {
		t.Errorf("after two hours: %+v", now.Items)
	}
	answer[State](t, p, "/v1/play", `{"seek": 600}`)
	if then := answer[List[explain.Job]](t, p, "/v1/jobs", ""); len(then.Items) != 1 {
		t.Errorf("after ten minutes: %+v", then.Items)
	}
	answer[State](t, p, "/v1/play", `{"seek": 1e9, "playing": true, "speed": 7200}`)
	p.advance(time.Second)
	p.take()
	if next := answer[List[explain.Job]](t, p, "/v1/jobs", ""); len(next.Items) != 3 {
		t.Errorf("two hours later: %+v", next.Items)
	}
	ended := player(t, jobs, func(o *Options) { o.From = 1000 * time.Hour })
	if _, s, _ := ended.at(); !s.Play.Ended || s.Play.Now != s.Play.Edge {
		t.Errorf("later than all that happens: %+v", s.Play)
	}
}
