package world

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// A bug keeps requests of a scheduler from being sent. The checks know that they were decided on: a pod whose eviction
// is among them leaves room in its queue, once, and a gang of which a binding is may stay bound in part. All others are
// held to the same as before.
func TestWhatABugKeepsFromBeingSentIsDecided(t *testing.T) {
	b := newBench(t)
	b.job("first", 3, 1, "/status")
	b.job("second", 3, 1, "")
	b.job("third", 3, 1, "")
	b.bind("first-0")
	b.bug(http.MethodPatch, "first-0/status",
		fmt.Sprintf(`{"metadata":{"uid":%q},"status":{"conditions":[{"type":"DisruptionTarget"}]}}`, b.uid("first-0")))
	if b.bind("second-0"); len(b.w.result.Wrong) > 0 {
		t.Errorf("the room of a pod that has to leave was given on: %s", b.w.result.Wrong)
	}
	if b.bind("third-0"); !strings.Contains(strings.Join(b.w.result.Wrong, ""), "may hold 4 cores, and holds 6") {
		t.Errorf("the queue holds more than it may, and wrong is %q", b.w.result.Wrong)
	}
	b.w.result.Wrong = nil
	for _, name := range []string{"spoilt", "sound"} {
		b.job(name, 0, 2, "/binding")
		b.bind(name + "-1")
		if name == "spoilt" {
			b.bug(http.MethodPost, "spoilt-0/binding", uidsBegin)
		}
		b.gang(name).half = time.Now().Add(-2 * halfBound)
	}
	b.w.check.testify()
	if wrong := strings.Join(b.w.result.Wrong, "; "); !strings.Contains(wrong, "gang sound was bound in part") ||
		strings.Contains(wrong, "gang spoilt") {
		t.Errorf("of a gang that lost a binding and one that did not, wrong is %q", wrong)
	}
}

// A pod whose binding is under way counts as held by its queue, as it does for the scheduler, until it is long ago.
func TestABindingUnderWayIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.job("late", 2, 1, "")
		b.w.jobs.byName["late"].queue = owedQueue
		expect := func(cores int64, when string) {
			t.Helper()
			if got := b.w.check.promised(owedQueue); got != cores {
				t.Errorf("%s queue %s is about to hold %d cores, want %d", when, owedQueue, got, cores)
			}
		}
		expect(0, "before a binding is sent")
		b.w.check.asked(&apimodel.Request{Client: benched, Method: http.MethodPost, Path: b.paths["late-0"] + "/binding",
			Body: []byte(b.uid("late-0"))})
		expect(2, "while a binding is under way")
		pass(seenWithin + time.Second)
		expect(0, "long after a binding was sent")
	})
}

// bench is a world without time, in which a scheduler's writes are made by hand.
type bench struct {
	t     *testing.T
	w     *World
	paths map[string]string // of pods, by what they are called here
}

const benched = "scheduler-0.0"

func newBench(t *testing.T) *bench {
	w := newWorld(Options{Seed: 1, Nodes: 1})
	w.procs = []*process{{name: benched}}
	w.check.terms[benched] = 1
	w.api.Wrote = w.check.wrote
	w.make("", "namespaces", map[string]any{"metadata": map[string]any{"name": userNamespace}})
	return &bench{t: t, w: w, paths: map[string]string{}}
}

// job makes a gang of the bounded queue with as many pods as its minimum; the bug is in what is sent to the first one's
// path.
func (b *bench) job(name string, cores, least int, spoilt string) {
	b.w.jobs.byName[name] = &job{name: name, queue: boundedQueue}
	b.w.make("scheduling.volcano.sh", "podgroups", map[string]any{"apiVersion": "scheduling.volcano.sh/v1beta1",
		"kind": "PodGroup", "metadata": map[string]any{"name": name, "namespace": userNamespace},
		"spec": map[string]any{"minMember": least}})
	for i := range least {
		pod, n := fmt.Sprintf("%s-%d", name, i), 0
		path := func() string { return b.w.check.pods.Path(userNamespace, fmt.Sprintf("%s-%d", pod, n)) }
		for i == 0 && spoilt != "" && !strikes(path()+spoilt) {
			n++
		}
		b.paths[pod] = path()
		b.w.make("", "pods", map[string]any{"metadata": map[string]any{"name": fmt.Sprintf("%s-%d", pod, n),
			"namespace": userNamespace, "labels": map[string]any{jobLabel: name},
			"annotations": map[string]any{groupAnnotation: name}},
			"spec": map[string]any{"containers": []any{map[string]any{"name": "c", "image": "i",
				"resources": map[string]any{"requests": map[string]any{"cpu": fmt.Sprint(cores)}}}}}})
	}
}

func (b *bench) stored(pod string) *apimodel.Stored {
	path := b.paths[pod]
	p := b.w.api.Get(b.w.check.pods, userNamespace, path[strings.LastIndexByte(path, '/')+1:])
	if p == nil {
		b.t.Fatalf("there is no pod %s", pod)
	}
	return p
}

func (b *bench) uid(pod string) string { return string(b.stored(pod).Meta().GetUID()) }

func (b *bench) gang(name string) *gang { return b.w.check.gangOf(b.stored(name + "-0")) }

func (b *bench) bind(pod string) {
	got := b.w.doAs(benched, http.MethodPost, b.paths[pod]+"/binding", map[string]any{"apiVersion": "v1",
		"kind": "Binding", "metadata": map[string]any{"uid": b.uid(pod)}, "target": map[string]any{"name": nodeName(0)}})
	if got.Code != http.StatusCreated {
		b.t.Fatalf("pod %s is not bound: %d %v", pod, got.Code, got.Body)
	}
}

// bug has the bug show in a request about a pod.
func (b *bench) bug(method, what, body string) {
	pod, rest, _ := strings.Cut(what, "/")
	bug := &b.w.procs[0].bug
	bug.until.Store(time.Now().Add(time.Minute).UnixNano())
	defer func() {
		if bug.until.Store(0); recover() == nil {
			b.t.Fatalf("the bug did not show in %s", what)
		}
	}()
	r, err := http.NewRequestWithContext(b.t.Context(), method, "http://server"+b.paths[pod]+"/"+rest,
		strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	answer, err := bug.inRequests(http.DefaultTransport).RoundTrip(r)
	if err == nil {
		_ = answer.Body.Close() // there is none
	}
}
