package player

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

var profile = policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"}, Tiers: [][]policy.Choice{
	{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "proportion"}, {Plugin: "nodeorder"}}}}

func cpu(cores int64) resource.List {
	return resource.List{{Name: resource.CPUName, Value: cores * 1000}, {Name: resource.PodsName, Value: 1}}
}

func item(kind model.Kind, name string, o model.Object) sim.Item {
	ref := model.Ref{Kind: kind, Name: name}
	if kind == model.KindPod || kind == model.KindPodGroup {
		ref.Namespace = "ns"
	}
	return sim.Item{Fact: model.Fact{Ref: ref, Object: o}}
}

// job is a gang of so many pods of one core, submitted at a time, that runs for an hour.
func job(name, queue string, at time.Duration, members int) (out []sim.Item) {
	out = append(out, item(model.KindPodGroup, name, &model.PodGroup{Queue: queue, MinMember: int32(members)}))
	for i := range members {
		pod := item(model.KindPod, fmt.Sprintf("%s-%d", name, i), &model.Pod{Ours: true, Group: name,
			Spec: &model.Spec{Requests: cpu(1)}})
		pod.Duration, pod.HasDuration = time.Hour, true
		out = append(out, pod)
	}
	for i := range out {
		out[i].SubmitAt = at
	}
	return out
}

// cluster is two nodes of four cores, queues a and b, and jobs in them.
func cluster(jobs ...[]sim.Item) (out []sim.Item) {
	for _, n := range []string{"n1", "n2"} {
		room := resource.List{{Name: resource.CPUName, Value: 4000}, {Name: resource.PodsName, Value: 110}}
		out = append(out, item(model.KindNode, n, &model.Node{Allocatable: room, Capacity: room}))
	}
	for _, q := range []string{"a", "b"} {
		out = append(out, item(model.KindQueue, q, &model.Queue{Weight: 1, Reclaimable: true}))
	}
	for _, j := range jobs {
		out = append(out, j...)
	}
	return out
}

// player plays items. Time is what the test makes it: nothing runs by itself.
func player(t testing.TB, items []sim.Item, change ...func(*Options)) *Player {
	t.Helper()
	w, err := sim.New(profile, items, sim.Options{Came: true})
	if err != nil {
		t.Fatal(err)
	}
	clock := time.Unix(0, 0)
	o := Options{Title: "test", Source: "files", Speed: 1, Now: func() time.Time { return clock },
		Summary: func() explain.Summary {
			s := w.Summary()
			return explain.Summary{Cycles: s.Cycles, VirtualTime: explain.Duration(s.VirtualTime), Pending: s.Pending,
				Evicted: s.Evicted}
		},
		Evictions: func() []explain.Eviction { return nil },
		Start:     func() ([]sim.Item, int64) { return items, 0 },
		Make: func(items []sim.Item, begin int64, configuration string) (*sim.World, error) {
			by := profile
			switch configuration {
			case "":
			case "without allocate":
				by.Actions = []string{"enqueue"}
			default:
				return nil, errors.New("line 1: " + configuration)
			}
			return sim.New(by, items, sim.Options{Begin: begin})
		},
		Parse: func(text string) ([]sim.Item, error) { return job(text, "a", 0, 2), nil },
	}
	for _, f := range change {
		f(&o)
	}
	return New(w, o)
}

// until lets the world run to a virtual time, with a frame for every cycle.
func until(p *Player, at time.Duration) {
	for {
		next, more := p.w.Next()
		if !more || next > at {
			p.pos = max(p.pos, at)
			return
		}
		p.cycle()
		p.take()
	}
}

// ask sends a request to a player; a body makes it a POST.
func ask(p *Player, path, body string) *httptest.ResponseRecorder {
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r := httptest.NewRequest(method, path, bytes.NewBufferString(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	p.Handler().ServeHTTP(w, r)
	return w
}

// answer decodes a good answer.
func answer[T any](t testing.TB, p *Player, path, body string) (out T) {
	t.Helper()
	w := ask(p, path, body)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return out
}

// text is the JSON of a document.
func text(t testing.TB, document any) string {
	t.Helper()
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// reader is a client that reads a stream.
type reader struct {
	*bufio.Reader
	io.Closer
	jobs map[string]string // their JSON, by name
	last State
}

func watch(t *testing.T, p *Player) *reader {
	t.Helper()
	server := httptest.NewServer(p.Handler())
	t.Cleanup(server.Close)
	got, err := http.Get(server.URL + "/v1/watch?kinds=jobs,queues,nodes")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { got.Body.Close() })
	return &reader{bufio.NewReader(got.Body), got.Body, map[string]string{}, State{}}
}

// moment reads on to the next bookmark, and follows what it is told.
func (r *reader) moment(t *testing.T) {
	t.Helper()
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		var e struct {
			Type, Kind string
			Object     json.RawMessage
			State      State
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if e.Type == bookmark {
			r.last = e.State
			return
		}
		if e.Kind != "Job" {
			continue
		}
		var j explain.Job
		if err := json.Unmarshal(e.Object, &j); err != nil {
			t.Fatal(err)
		}
		if delete(r.jobs, j.Name); e.Type != deleted {
			r.jobs[j.Name] = string(e.Object)
		}
	}
}
