package readapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ashlar.sh/internal/kube/access"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/whatif"
)

// world is a scheduler with an engine, of which the test's goroutine decides.
type world struct {
	t testing.TB

	mu      sync.Mutex
	engine  *sched.Engine
	cycle   uint64
	version uint64
	unready *Unready
	reads   map[Size]int
	starts  *estimate.Starts
	past    *memory
	unkept  bool // nothing is recorded
	hurried bool // looking ahead is cut at once
	plan    sched.Plan

	before, after func() // changes are tried
}

func newWorld(t testing.TB) *world {
	t.Helper()
	e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "proportion"}, {Plugin: "nodeorder"}}}})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, engine: e, reads: map[Size]int{}}
	for _, q := range []string{"default", "red", "blue"} {
		w.put(model.KindQueue, "", q, &model.Queue{Meta: model.Meta{Name: q}, Weight: 1})
	}
	return w
}

func (w *world) put(k model.Kind, ns, name string, o model.Object) {
	w.version++
	w.apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: ns, Name: name}, UID: ns + name, Version: w.version, Object: o})
}

func (w *world) apply(f model.Fact) {
	if w.past != nil {
		w.past.ring.Fact(w.engine.Ledger(), f)
	}
	w.engine.Apply(f)
}

func (w *world) node(name string, cpu int64) {
	w.put(model.KindNode, "", name, &model.Node{Meta: model.Meta{Name: name}, Allocatable: resource.List{
		{Name: "cpu", Value: cpu}, {Name: "memory", Value: 64 << 30}, {Name: "pods", Value: 110}}})
}

// gang is a job with pods that ask for so much.
func (w *world) gang(ns, name, queue string, members int, cpu int64) {
	w.put(model.KindPodGroup, ns, name, &model.PodGroup{Meta: model.Meta{Namespace: ns, Name: name, UID: ns + name},
		Queue: queue, MinMember: int32(members)})
	for i := range members {
		pod := fmt.Sprintf("%s-%d", name, i)
		w.put(model.KindPod, ns, pod, &model.Pod{Meta: model.Meta{Namespace: ns, Name: pod, UID: ns + pod}, Ours: true,
			Group: name, Index: int64(i), Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: cpu},
				{Name: "pods", Value: 1}}}})
	}
}

// decide runs a cycle after a change.
func (w *world) decide(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if change != nil {
		change()
	}
	now := int64(w.cycle+1) * int64(time.Second)
	if w.past != nil {
		w.past.ring.Begin(w.engine, now, recording.About{})
	}
	plan, _, next := w.engine.Decide(now)
	if w.past != nil {
		w.past.ring.End(plan.Items, next)
	}
	w.plan = plan
	w.cycle++
}

func (w *world) set(u *Unready) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unready = u
}

func (w *world) Ask(_ context.Context, size Size, f func(*sched.Engine, Moment)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.unready != nil {
		return w.unready
	}
	w.reads[size]++
	m := Moment{Cycle: w.cycle, At: time.Unix(0, 0).UTC(), Starts: w.starts}
	if w.past != nil {
		m.Recorder = w.past
	}
	f(w.engine, m)
	return nil
}

func (w *world) Ready() *Unready {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unready
}

func (w *world) State() State { return State{Version: "v1", Cycle: w.cycle} }

func (w *world) Dump(_ context.Context, to io.Writer) error {
	_, err := io.WriteString(to, `{"Facts":[]}`)
	return err
}

func (w *world) Recording(_ context.Context, to io.Writer) error {
	if w.unkept {
		return ErrNoRecording
	}
	_, err := io.WriteString(to, `{"Recording":1}`)
	return err
}

// rights are users by token, and what each may do.
type rights struct {
	mu    sync.Mutex
	may   map[string][]string // questions by user
	down  bool
	asked int
}

func (r *rights) User(_ context.Context, from *http.Request) (*access.User, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := from.Header.Get("Authorization")
	if _, ok := r.may[name]; !ok {
		return nil, access.ErrUnknown
	}
	return &access.User{Username: name}, nil
}

func (r *rights) May(_ context.Context, u *access.User, q access.Question) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	if r.down {
		return false, fmt.Errorf("%w: it is down", access.ErrUnanswered)
	}
	return slices.Contains(r.may[u.Username], q.String()) || slices.Contains(r.may[u.Username], "everything"), nil
}

func (r *rights) give(user string, questions ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.may[user] = questions
}

func (r *rights) forget(user string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.may, user)
}

// fall makes every question stay without an answer.
func (r *rights) fall() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = true
}

// people are an administrator, a tenant of namespace red, and somebody without any right.
func people() *rights {
	return &rights{may: map[string][]string{"admin": {"everything"},
		"tenant": {"list pods in namespace red", "get queues.scheduling.volcano.sh red"}, "nobody": nil}}
}

// busyWorld has a job that runs in each of two namespaces and one that waits in each.
func busyWorld(t testing.TB) *world {
	w := newWorld(t)
	w.decide(func() {
		w.node("n1", 8000)
		w.gang("red", "runs", "red", 2, 1000)
		w.gang("blue", "runs", "blue", 3, 1000)
		w.gang("red", "waits", "red", 2, 64000)
		w.gang("blue", "secret", "blue", 1, 64000)
	})
	w.decide(nil)
	return w
}

func served(w *world, r *rights) *Server { return newServer(Options{Scheduler: w, Access: r}) }

// get asks as a user, and decodes what comes.
func get[T any](t testing.TB, s *Server, user, path string) (code int, document T) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Authorization", user)
	got := httptest.NewRecorder()
	s.ServeHTTP(got, r)
	if err := json.Unmarshal(got.Body.Bytes(), &document); err != nil {
		t.Fatalf("%s: %d %q: %v", path, got.Code, got.Body, err)
	}
	return got.Code, document
}

// names are those of a list's items.
func names(l List) (out []string) {
	for _, i := range l.Items {
		row := i.(map[string]any)
		name := row["name"].(string)
		if ns, ok := row["namespace"].(string); ok {
			name = ns + "/" + name
		}
		out = append(out, name)
	}
	return out
}

// plain is a document with its characters as they are.
func plain(document any) string {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	_ = to.Encode(document) // it was decoded just now
	return strings.ReplaceAll(b.String(), `\"`, `"`)
}

// WouldRun searches at once, in the test's goroutine.
func (w *world) WouldRun(_ context.Context, job ledger.JobKey, _ func(Tried) bool) (Tried, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.unready != nil {
		return Tried{}, w.unready
	}
	if w.before != nil {
		w.before()
	}
	c, err := w.engine.Copy()
	if err != nil {
		return Tried{}, err
	}
	out := Tried{Moment: Moment{Cycle: w.cycle, At: time.Unix(int64(w.cycle), 0).UTC()}}
	out.Job = Identity(w.engine, job)
	out.WouldRun, _ = whatif.New(c, int64(w.cycle+1)*int64(time.Second)).Job(job, whatif.Limits{})
	if w.after != nil {
		w.after()
	}
	return out, nil
}
