package world

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// Trouble says what goes wrong: probabilities of a request, and mean times between what happens now and then; 0: never.
type Trouble struct {
	NetworkTrouble
	ServerTrouble
	ProcessTrouble
	ClusterTrouble
}

// NetworkTrouble is between schedulers and the API server.
type NetworkTrouble struct {
	LostBefore  float64 // the connection breaks before the request is carried out
	LostAfter   float64 // it breaks after that
	Late        float64 // the request or its answer takes seconds
	Doubled     float64 // a write is carried out twice, and answered as the second one
	Held        float64 // a scheduler's write is not answered, and carried out up to a minute later
	WatchDies   time.Duration
	WatchStalls time.Duration
	Skips       time.Duration // what a watch was to send is lost: it begins again with 410
	Cut         time.Duration // a scheduler's network stands still, some times for longer than its lease
	OneWay      time.Duration // so it does in one direction
	Lags        time.Duration // all watches of a scheduler stall, as from an API server whose cache lags
}

// ServerTrouble is the API server's.
type ServerTrouble struct {
	Conflict float64 // a write is answered with 409
	TooMany  float64 // 429
	Internal float64 // 500, carried out or not
	Denied   float64 // a write about a pod is refused by admission: 403
	// DeniedAll: so is one about any object but a lease.
	DeniedAll bool
	Refuses   time.Duration // so are all bindings of one pod, for a while
	Protects  time.Duration // and all deletions of one pod
	Stale     float64       // a list that may be old is, as from another API server whose cache lags
	Compacts  time.Duration // and all watches end: they begin again with 410
	Restarts  time.Duration // all connections break, and none are made for seconds
	Jumps     time.Duration // its clock is set, by up to an hour either way
	Restored  time.Duration // its store is put back to an older state, as from a backup of etcd
}

// ProcessTrouble is the schedulers'.
type ProcessTrouble struct {
	Killed   time.Duration // one ends from one moment to the next
	Replaced time.Duration // one is asked to end
	Paused   time.Duration // one stands still, some times for longer than its lease
	Panics   time.Duration // a bug shows, in the engine or in a request
	Answered bool          // half of those in requests show after the API server has carried the request out
	Reloads  time.Duration // the configuration's file changes, some times to what cannot be used
	Dumps    time.Duration // a dump is asked for
	NoDisk   bool          // nothing can be saved
	Clocks   time.Duration // the clock of a scheduler's machine is set, by up to an hour either way
	// Reconfigured: a life begins with another configuration than the one before, or with one that cannot be used.
	Reconfigured float64
	Volcano      time.Duration // Volcano's scheduler takes over for a while
	Versions     time.Duration // another version of the program does, and leaves records as it writes them
}

// ClusterTrouble is that of nodes and users.
type ClusterTrouble struct {
	NodeFails time.Duration // a node is gone with all its pods, and comes again
	Cordoned  time.Duration
	Recreated time.Duration // a pod or a whole job is deleted, and made again under its name
	AnyStep   float64       // so is a pod right before or after a scheduler's write about it
	Hostile   time.Duration // a tenant writes what it may, to harm others
	Others    time.Duration // a pod comes with its node, past all schedulers
	Shrinks   time.Duration // a node offers less for a while
	Remade    time.Duration // a queue, or a PodGroup of which the pods stay, is deleted and made again under its name
	Booked    time.Duration // a user books a node for some minutes
	// Relabelled: a node is in another zone for a while. Tainted: it has a taint that few jobs tolerate.
	Relabelled, Tainted time.Duration
	Drivers             time.Duration // the driver of a node's devices is gone for a while
	Expels              time.Duration // a node has a taint by which pods that do not tolerate it have to leave
	Rewired             time.Duration // HyperNodes change for a while
	Moved               time.Duration // a queue is below another one for a while, or the one above is gone
	Scaled              time.Duration // an autoscaler removes an empty node, and adds it again
	Foreign             time.Duration // kube-scheduler binds a pod to a node that had room when it looked
	Fields              bool          // what tenants write has all fields
	Kinds               float64       // the part of jobs whose pods are made as by a controller that there is
	Crashes             float64       // a container of such a job fails
	Resized             time.Duration // such a job is scaled
	Lingers             float64       // a pod that has to leave takes minutes
	Gated               float64       // the part of jobs whose pods have a gate at first
	Reclassed           time.Duration // a PriorityClass is deleted, and made again
}

// drawn is a world with a mix of trouble of its own: each kind is there in about half of all worlds, or in fewer.
func drawn(seed uint64, lasts time.Duration) Options {
	r := rand.New(rand.NewPCG(seed, 2))
	p := func(most float64) float64 { return float64(r.IntN(2)) * r.Float64() * most }
	d := func(least time.Duration) time.Duration { return inHalf(r, least) }
	rare := func(least time.Duration) time.Duration { return time.Duration(r.IntN(2)) * d(least) }
	o := Options{Seed: seed, Lasts: lasts, Settles: time.Hour, Nodes: 2 + r.IntN(5), Schedulers: 1 + r.IntN(2),
		HTTP: seed%8 == 0, Usage: seed%3 == 0, Undefined: seed%5 == 0, Reads: seed%4 == 1,
		Trouble: Trouble{
			NetworkTrouble{LostBefore: p(0.05), LostAfter: p(0.05), Late: p(0.1), Doubled: p(0.05),
				WatchDies: d(10 * time.Second), WatchStalls: d(30 * time.Second), Skips: d(time.Minute),
				Cut: d(2 * time.Minute), OneWay: d(2 * time.Minute)},
			ServerTrouble{Conflict: p(0.05), TooMany: p(0.05), Internal: p(0.05), Denied: p(0.05),
				Stale: p(1), Compacts: d(2 * time.Minute), Restarts: d(3 * time.Minute),
				Jumps: rare(2 * time.Minute), Restored: rare(4 * time.Minute)},
			ProcessTrouble{Killed: d(2 * time.Minute), Replaced: d(3 * time.Minute), Paused: d(2 * time.Minute),
				Panics: d(time.Minute), Reloads: d(2 * time.Minute), Dumps: d(2 * time.Minute), NoDisk: r.IntN(2) == 0,
				Volcano: rare(4 * time.Minute), Clocks: rare(2 * time.Minute), Reconfigured: p(1)},
			ClusterTrouble{NodeFails: d(2 * time.Minute), Cordoned: d(time.Minute), Recreated: d(20 * time.Second),
				AnyStep: p(0.05), Hostile: d(10 * time.Second), Others: d(20 * time.Second), Shrinks: d(time.Minute),
				Remade: rare(time.Minute), Booked: rare(time.Minute)}}}
	if o.Reads {
		o.Asks = 5 * time.Second
	}
	for _, later := range laterDraws {
		if seed >= later.from {
			later.draw(&o)
		}
	}
	return o
}

// inHalf is a mean time between two troubles, from the least one to five times that; in half of all worlds there is
// none.
func inHalf(r *rand.Rand, least time.Duration) time.Duration {
	return time.Duration(r.IntN(2)) * (least + time.Duration(r.Int64N(int64(4*least))))
}

// laterDraws are what worlds of seeds from one on draw beside, each from a source of its own. Worlds of seeds below are
// the same as ever.
var laterDraws = []struct {
	from uint64
	draw func(*Options)
}{{wider, (*Options).widen}, {widest, (*Options).widenMore}, {slower, (*Options).slowDown},
	{longHeldFrom, (*Options).hold}, {ownedFrom, (*Options).ownMore}, {rewiredFrom, (*Options).rewire},
	{extendedFrom, (*Options).extend}, {movedFrom, (*Options).move}, {fullerFrom, (*Options).fill},
	{kindsFrom, (*Options).drawKinds}}

// wider is the first seed of worlds that draw what came later, too: those below it are the same as ever.
const wider = 1_000_000

// widen draws, from a source of its own, what worlds from there on have.
func (o *Options) widen() {
	r := rand.New(rand.NewPCG(o.Seed, 4))
	d := func(least time.Duration) time.Duration { return inHalf(r, least) }
	o.Trouble.Lags, o.Trouble.Versions = d(30*time.Second), d(90*time.Second)
	o.Devices, o.Volumes = r.IntN(2) == 0, r.IntN(3) == 0
	o.Trouble.Relabelled, o.Trouble.Tainted = d(30*time.Second), d(time.Minute)
	if o.Devices {
		o.Trouble.Drivers = d(30 * time.Second)
	}
}

// widest is the first seed of worlds that draw still more.
const widest = 2_000_000

// widenMore draws, from a source of its own, what worlds from there on have.
func (o *Options) widenMore() {
	r := rand.New(rand.NewPCG(o.Seed, 5))
	if r.IntN(2) == 0 {
		o.Trouble.Expels = 30*time.Second + time.Duration(r.Int64N(int64(2*time.Minute)))
	}
	o.Shared, o.Templates, o.Local = o.Devices && r.IntN(2) == 0, o.Devices && r.IntN(2) == 0, r.IntN(3) == 0
}

// slower is the first seed of worlds that are slower, as clusters are outside of worlds: times that a scheduler waits
// run out while jobs run.
const slower = 3_000_000

func (o *Options) slowDown() {
	r := rand.New(rand.NewPCG(o.Seed, 6))
	o.Pace = 6 + r.IntN(25)
	o.Settles *= time.Duration(o.Pace)
}

// longHeldFrom is the first seed of worlds in which the API server holds requests, and carries them out long after.
const longHeldFrom = 20_000_000

func (o *Options) hold() { o.Trouble.Held = float64(o.Seed%2) * 0.02 }

// happens is what a world tells that it did for each kind of trouble.
var happens = map[string][]string{
	"LostBefore": {"lost before it was carried out"}, "LostAfter": {"lost after it was carried out"}, "Late": {"late"},
	"Held":    {"carried out long after it was sent"},
	"Doubled": {"carried out twice"}, "WatchDies": {"a watch dies"}, "WatchStalls": {"a watch stalls"},
	"Skips": {"a watch skips to a later version"}, "Cut": {"a scheduler cut off"},
	"OneWay":   {"a scheduler that is not heard", "a scheduler that hears nothing"},
	"Lags":     {"a scheduler whose API server lags"},
	"Conflict": {"409"}, "TooMany": {"429"}, "Internal": {"500"},
	"Denied": {"403"}, "DeniedAll": {"403 of no pod"}, "Answered": {"a panic after a request"},
	"Scaled": {"an empty node removed", "a node added for pods that wait"}, "Foreign": {"a pod bound by kube-scheduler"},
	"Kinds": {"a Job", "a ReplicaSet", "a VolcanoJob", "a pod replaced that is still there", "a pod too many deleted",
		"a Volcano job waits to be admitted"},
	"Crashes":  {"a container fails", "a Volcano job begun again"},
	"Protects": {"a deletion refused for a while"}, "Reclassed": {"a priority class made again"},
	"Lingers": {"a pod that takes minutes to leave", "a pod that does not leave"}, "Gated": {"a gate removed"},
	"Resized": {"a ReplicaSet scaled", "a Volcano job scaled"},
	"Fields":  {"a hostile field"}, "Refuses": {"a binding refused for a while"}, "Stale": {"an old list"},
	"Compacts": {"compaction"},
	"Restarts": {"API server restart"}, "Jumps": {"a clock set"}, "Restored": {"etcd restored"},
	"Killed": {"a scheduler killed"}, "Replaced": {"a scheduler asked to end"},
	"Paused": {"a scheduler that stands still"}, "Panics": {"a panic"},
	"Reloads": {"a configuration changed", "a malformed configuration"}, "Dumps": {"a dump asked for"},
	"Clocks":       {"a scheduler's clock set", "a life with a clock that is off"},
	"Reconfigured": {"a life with another configuration"},
	"NoDisk":       {"a scheduler without a disk"},
	"Volcano":      {"Volcano's scheduler started", "a pod bound by Volcano"},
	"Versions":     {"a scheduler of another version", "conditions of another version"},
	"Drivers":      {"a driver that is gone"},
	"Expels":       {"a node that expels pods", "a pod expelled", "a pod expelled after a while"},
	"Relabelled":   {"a node in another zone", "a binding into a zone"}, "Tainted": {"a node tainted"},
	"Rewired": {"a rack that is gone", "a rack made again", "a node moved to another rack", "a binding into a rack"},
	"Moved": {"a queue moved", "the queue above others gone", "the queue above others made again",
		"a queue below a queue that is not there", "a pod bound below a queue above"},
	"NodeFails": {"a node failed"}, "Cordoned": {"a node cordoned"}, "Recreated": {"something deleted and made again"},
	"AnyStep": {"a pod made again around a request"}, "Hostile": {"a hostile write"},
	"Others": {"a pod that came with its node"}, "Shrinks": {"a node that offers less"},
	"Remade": {"a queue made again", "a PodGroup made again"}, "Booked": {"a node booked"},
}

// Every kind of trouble is drawn for some worlds, and happens in one of nine worlds that have all of it, which bear it,
// and not in a calm one.
func TestAllTroubleHappens(t *testing.T) {
	everDrawn, all := map[string]bool{}, Options{Lasts: 30 * time.Minute, Settles: time.Hour, Nodes: 4,
		Schedulers: 2, Devices: true, Volumes: true, Shared: true, Templates: true, Local: true, Extended: true,
		Owned: 1}
	for seed := range uint64(100) {
		o := drawn([]uint64{widest, longHeldFrom, ownedFrom, rewiredFrom, movedFrom, fullerFrom,
			kindsFrom}[seed%7]+seed, time.Minute)
		eachTrouble(&o.Trouble, func(kind string, v reflect.Value) { everDrawn[kind] = everDrawn[kind] || !v.IsZero() })
	}
	calm := run(t, Options{Seed: 1, Lasts: time.Minute, Settles: time.Hour, Nodes: 4, Schedulers: 2})
	eachTrouble(&all.Trouble, func(_ string, v reflect.Value) {
		switch v.Interface().(type) {
		case bool:
			v.SetBool(true)
		case float64:
			v.SetFloat(0.02)
		case time.Duration:
			v.SetInt(int64(time.Minute))
		}
	})
	all.Trouble.Panics = 10 * time.Second // most of them are due in a scheduler that stands by or ends before
	all.Trouble.Refuses = 5 * time.Second // of pods that may never come
	all.Trouble.Reconfigured = 0.5        // lives are few
	all.Trouble.Protects, all.Trouble.Lingers = 10*time.Second, 0.3
	all.Trouble.Crashes, all.Trouble.Gated = 0.6, 0.2
	all.Trouble.Stale = 1                  // lists that may be old are rare
	all.Trouble.Volcano = 20 * time.Second // it binds what waits while it has the lease
	all.Log = logged(t)
	troubled, kinds := map[string]int{}, 0
	for seed := range uint64(9) {
		all.Seed, all.Trouble.Kinds = 1+seed, 0.7*float64(seed%3%2)
		r := run(t, all)
		for what, n := range r.Did {
			troubled[what] += n
		}
		if len(r.Wrong) > 0 {
			t.Errorf("seed %d: %d wrong, the first: %s", all.Seed, len(r.Wrong), r.Wrong[0])
		}
	}
	eachTrouble(&all.Trouble, func(kind string, _ reflect.Value) {
		kinds++
		if !everDrawn[kind] {
			t.Errorf("no world draws %s", kind)
		}
		if len(happens[kind]) == 0 {
			t.Errorf("it is not known what %s does", kind)
		}
		for _, what := range happens[kind] {
			if troubled[what] == 0 || calm.Did[what] > 0 {
				t.Errorf("%s: %q happens %d times, and %d times in a calm world", kind, what, troubled[what], calm.Did[what])
			}
		}
	})
	for _, what := range []string{"a pod with a shared claim bound", "a pod with a claim from a template bound",
		"a pod with a volume that was there bound", "a pod with an extended resource bound"} {
		if troubled[what] == 0 {
			t.Errorf("%q does not happen", what)
		}
	}
	if kinds != len(happens) {
		t.Errorf("there are %d kinds of trouble, and %d are expected to happen", kinds, len(happens))
	}
}

// eachTrouble calls do for every field of a Trouble.
func eachTrouble(of *Trouble, do func(kind string, v reflect.Value)) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Trouble]()) {
		if !field.Anonymous {
			do(field.Name, reflect.ValueOf(of).Elem().FieldByIndex(field.Index))
		}
	}
}
