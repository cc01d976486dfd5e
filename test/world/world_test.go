package world

import (
	"encoding/json"
	"fmt"
	"hash"
	"hash/fnv"
	oldrand "math/rand"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	utilrand "k8s.io/apimachinery/pkg/util/rand"

	"ashlar.sh/deploy"
	"ashlar.sh/test/world/apimodel"
)

// Options says what a world is like. All that is drawn follows from Seed.
type Options struct {
	Seed uint64
	// Lasts is for how long users submit jobs and trouble happens, in the time of the world.
	Lasts time.Duration
	// Settles is how long the world gets after that, without trouble, until all jobs must have ended.
	Settles time.Duration
	// Trouble says what goes wrong and how often.
	Trouble Trouble
	Nodes   int
	// Pace is by how much slower than in other worlds users submit jobs, these run and trouble comes; 0: not at all.
	Pace int
	// MostJobs is how many jobs wait or run at once; 0: 12.
	MostJobs int
	// Schedulers is how many stand by; one of them leads.
	Schedulers int
	// HTTP has schedulers talk HTTP over connections in memory, as they do outside of worlds; it takes more time.
	HTTP bool
	// Configuration is which of the configurations holds, counted from 1; 0: it is drawn.
	Configuration int
	// Undefined has custom resources say anything, as under CRDs without a schema; else they are checked as by Ashlar's.
	Undefined bool
	// Planned has all queues fifo, all pods limited in time and no priorities, so that planned starts are promises.
	Planned bool
	// Usage has queues ordered by what they used lately, too, in all configurations.
	Usage bool
	// Reads has schedulers answer the read API, and Asks is the mean time between two questions; 0: there are none.
	Reads bool
	Asks  time.Duration
	// Devices and Volumes: pods of some jobs have a claim for devices, or for a volume that is made on their node.
	Devices, Volumes bool
	// Shared: pods of some jobs with devices share one claim. Templates: those of others have claims made for them. Local:
	// volumes of some jobs are there before their claims. Extended: pods of some ask for devices by an extended resource.
	Shared, Templates, Local, Extended bool
	// Owned is the part of jobs whose pods have a controller that makes them anew.
	Owned float64
	// Breaks, if set, breaks what a scheduler sends, to see that it is found out.
	Breaks Breaks
	// Enough, if set, says of what is wrong that no more need be seen: the world ends there.
	Enough func(wrong string) bool
	// Log, if set, is told what happens.
	Log func(line string)
}

// define has custom resources checked as by the CRDs that Ashlar comes with.
func (w *World) define(t *testing.T) {
	crds, err := deploy.CRDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range crds {
		if err := w.api.Define(crd); err != nil {
			t.Fatal(err)
		}
	}
}

// Result is what came of a run.
type Result struct {
	// Wrong is what must not be, in the order in which it was seen.
	Wrong []string
	// History sums up all writes and their order: equal runs have equal ones.
	History uint64
	Writes  int // by schedulers, leases left out
	// MostWrites is how often one pod or PodGroup was written to by schedulers, at most.
	MostWrites int
	Did        map[string]int // how often something happened
	Hours      float64        // of the world's time
}

// World is a run. Only the driver touches it.
type World struct {
	Options
	random  *rand.Rand
	api     *apimodel.Server
	seq     *sequence
	check   *checker
	net     *network
	nodes   *kubelets
	jobs    *jobs
	procs   []*process
	history hash.Hash64
	result  Result
	began   time.Time
	calm    bool // there is no trouble any more
	conf    *configFiles
	clocks  map[string]time.Duration // by how much those of machines are ahead
	budgets *budgets
	booked  *booked
	others  *others
	labels  *relabelled
	racks   *racks
	devices *devices
	volumes *volumes
	asked   *askers
	heap    uint64        // what is held before it begins, in bytes
	skew    time.Duration // of the API server's clock
}

// newWorld makes a world in which nothing has begun: no process runs, and no write is checked.
func newWorld(o Options) *World {
	w := &World{Options: o, random: rand.New(rand.NewPCG(o.Seed, 1)), seq: newSequence(), history: fnv.New64a(),
		began: time.Now(), clocks: map[string]time.Duration{}}
	w.result.Did = map[string]int{}
	w.api = apimodel.NewServer(func() time.Time { return time.Now().Add(w.skew) })
	w.api.JSONOnly = w.Breaks.event != nil // which changes texts
	w.net = &network{w: w, cuts: map[string]cut{}, ahead: map[string]time.Duration{}}
	w.check = newChecker(w)
	w.budgets, w.booked = newBudgets(w), newBooked(w)
	w.nodes = newKubelets(w)
	w.jobs, w.others, w.asked = newJobs(w), newOthers(w), newAskers(w)
	w.labels, w.devices, w.volumes = newRelabelled(w), newDevices(w), newVolumes(w)
	w.racks = newRacks(w)
	return w
}

// Run runs a world in the bubble of a test (testing/synctest), which it must be called in.
func Run(t *testing.T, o Options) Result {
	heap := heapHeld()
	oldrand.Seed(int64(o.Seed))
	utilrand.Seed(int64(o.Seed)) // names of claims that schedulers make
	w := newWorld(o)
	w.heap = heap
	if !o.Undefined {
		w.define(t)
	}
	w.api.Wrote, w.api.Watched = w.wrote, w.net.watched
	w.conf = newConfigFiles(t, w)
	w.make("", "namespaces", map[string]any{"metadata": map[string]any{"name": leaseNamespace}})
	w.make("", "namespaces", map[string]any{"metadata": map[string]any{"name": userNamespace}})
	w.devices.begin()
	w.volumes.begin()
	w.nodes.begin()
	w.racks.begin()
	w.jobs.begin()
	for i := range max(1, o.Schedulers) {
		w.start(machine(i))
	}
	w.net.begin()
	w.conf.begin()
	newRival(w).begin()
	newTenant(w).begin()
	w.others.begin()
	w.booked.begin()
	w.asked.begin()
	w.disasters()
	w.labels.begin()
	(&otherVersions{w}).begin()
	if ends := o.Breaks.ends; ends > 0 && ends < o.Lasts {
		w.until(ends)
		w.seq.over = true
	} else {
		w.until(o.Lasts)
	}
	w.settle()
	w.stop()
	w.result.History = w.history.Sum64()
	w.result.Hours = time.Since(w.began).Hours()
	return w.result
}

func (w *World) until(d time.Duration) { w.seq.run(w.began.Add(d), w.net.arrive, w.net.gone) }

// settle ends all trouble and waits until all jobs have ended, or their time has.
func (w *World) settle() {
	w.calm, w.skew = true, 0 // an hour's wait is told, and would be by a clock that differs by so much
	w.check.calmSince = time.Now()
	w.net.calm()
	w.nodes.calm()
	w.others.calm()
	w.labels.calm()
	w.racks.calm()
	w.jobs.tree.calm()
	w.devices.calm()
	w.booked.calm()
	w.conf.calm()
	w.setRight()
	for _, p := range w.procs {
		p.still.begin(0)
		p.bug.touches.Store(0)
		p.bug.facts.Store(false)
		p.bug.until.Store(0)
	}
	bound, busy := w.Lasts+w.Settles, time.Now()
	for time.Since(w.began) < bound && !w.jobs.over() && !w.seq.over {
		w.until(time.Since(w.began) + 10*time.Second)
		busy = w.check.idles(busy)
	}
	over := w.seq.over
	w.Enough, w.seq.over = nil, false // little is left
	if over {
		return
	}
	w.jobs.testify()
	w.rest()
	w.check.testify()
}

func (w *World) wrong(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	w.log("WRONG: %s", line)
	if len(w.result.Wrong) < 20 {
		w.result.Wrong = append(w.result.Wrong, fmt.Sprintf("%s: %s", w.at(), line))
		w.seq.over = w.seq.over || w.Enough != nil && w.Enough(line)
	}
}

// at is the time since the world began.
func (w *World) at() string { return time.Since(w.began).Truncate(time.Millisecond).String() }

func (w *World) log(format string, args ...any) {
	if w.Log != nil {
		w.Log(w.at() + " " + fmt.Sprintf(format, args...))
	}
}

func (w *World) did(what string) { w.result.Did[what]++ }

// wrote is told of every write.
func (w *World) wrote(write apimodel.Write) {
	key := write.Kind.Resource + " " + write.Key()
	verb := "is changed"
	switch {
	case write.Before == nil:
		verb = "is made"
	case write.After == nil:
		verb = "is gone"
	}
	_, _ = fmt.Fprintf(w.history, "%d %s %s %s\n", time.Since(w.began), write.Client, verb, key) // a hash takes all
	// What is kept of first estimates says to the nanosecond when they were made, and that waits for a question's copy.
	if write.After != nil && !(w.Reads && write.After.Meta().GetName() == usageObject) {
		_, _ = w.history.Write(write.After.Encoded(write.Kind))
	}
	if w.Log != nil && write.Kind.Resource != "leases" {
		w.log("%s: %s %s%s", write.Client, key, verb, described(write))
	}
	w.others.wrote(write)
	w.labels.wrote(write)
	w.racks.wrote(write)
	w.jobs.tree.wrote(write)
	w.devices.wrote(write)
	w.volumes.wrote(write)
	w.asked.wrote(write)
	w.check.wrote(write)
	w.nodes.wrote(write)
	w.jobs.wrote(write)
	w.budgets.wrote(write)
}

// described says what there is to a write, in a word or two.
func described(write apimodel.Write) string {
	if write.After == nil {
		return ""
	}
	if write.Kind.Resource == "events" {
		return " " + text(write.After.Object, "reason") + ": " + text(write.After.Object, "message")
	}
	m, out := write.After.Meta(), ""
	for _, path := range []string{"spec nodeName", "status phase", "metadata deletionTimestamp"} {
		if s := text(m.Object, strings.Fields(path)...); s != "" {
			out += " " + s
		}
	}
	return out
}

// do sends a request as somebody who is no scheduler, past the network.
func (w *World) do(method, path string, body any) apimodel.Response {
	return w.doAs("world", method, path, body)
}

func (w *World) doAs(client, method, path string, body any) apimodel.Response {
	raw, _ := json.Marshal(body) // plain data
	r := &apimodel.Request{Client: client, Method: method, Path: path, Body: raw}
	if method == http.MethodPatch {
		r.ContentType = "application/merge-patch+json"
	}
	return w.api.Do(r)
}

func (w *World) make(group, resource string, object map[string]any) apimodel.Response {
	k := w.api.Kind(group, resource)
	return w.do(http.MethodPost, k.Path(text(object, "metadata", "namespace"), ""), object)
}

// post makes an object that the API server has to take, unless it has one of that name.
func (w *World) post(k *apimodel.Kind, object map[string]any) {
	if out := w.make(k.Group, k.Resource, object); out.Code >= http.StatusBadRequest && out.Code != http.StatusConflict {
		w.wrong("a %s was refused: %v", k.Kind, out.Body)
	}
}

// text is a text in plain data, "" if there is none.
func text(o map[string]any, path ...string) string {
	for _, p := range path[:len(path)-1] {
		o, _ = o[p].(map[string]any)
	}
	s, _ := o[path[len(path)-1]].(string)
	return s
}

// chance is true with a probability.
func (w *World) chance(p float64) bool { return p > 0 && w.random.Float64() < p }

// between draws a duration.
func (w *World) between(least, most time.Duration) time.Duration {
	if most <= least {
		return least
	}
	return least + time.Duration(w.random.Int64N(int64(most-least)))
}

// about draws a duration whose mean is given, as the time until something that may happen at any moment.
func (w *World) about(mean time.Duration) time.Duration {
	return min(time.Duration(w.random.ExpFloat64()*float64(mean)), 10*mean)
}

// paced is a time between two things that happen, at the pace of this world.
func (w *World) paced(d time.Duration) time.Duration { return d * time.Duration(max(1, w.Pace)) }

// every does something again and again while there is trouble, with so much time between on average; 0: never.
func (w *World) every(mean time.Duration, do func()) {
	if mean <= 0 {
		return
	}
	w.seq.after(w.about(w.paced(mean)), func() {
		if w.calm {
			return
		}
		do()
		w.every(mean, do)
	})
}

// sorted is a set's members in order.
func sorted(set map[string]bool) (out []string) {
	for k, in := range set {
		if in {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}
