package world

import (
	"math/rand/v2"
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
	WatchDies   time.Duration
	WatchStalls time.Duration
	Skips       time.Duration // what a watch was to send is lost: it begins again with 410
	Cut         time.Duration // a scheduler's network stands still, some times for longer than its lease
	OneWay      time.Duration // so it does in one direction
}

// ServerTrouble is the API server's.
type ServerTrouble struct {
	Conflict float64       // a write is answered with 409
	TooMany  float64       // 429
	Internal float64       // 500, carried out or not
	Compacts time.Duration // and all watches end: they begin again with 410
	Restarts time.Duration // all connections break, and none are made for seconds
	Jumps    time.Duration // its clock is set, by up to an hour either way
	Restored time.Duration // its store is put back to an older state, as from a backup of etcd
}

// ProcessTrouble is the schedulers'.
type ProcessTrouble struct {
	Killed   time.Duration // one ends from one moment to the next
	Replaced time.Duration // one is asked to end
	Paused   time.Duration // one stands still, some times for longer than its lease
	Panics   time.Duration // a bug shows, in the engine or in a request
	Reloads  time.Duration // the configuration's file changes, some times to what cannot be used
	Dumps    time.Duration // a dump is asked for
	NoDisk   bool          // nothing can be saved
	Volcano  time.Duration // Volcano's scheduler takes over for a while
}

// ClusterTrouble is that of nodes and users.
type ClusterTrouble struct {
	NodeFails time.Duration // a node is gone with all its pods, and comes again
	Cordoned  time.Duration
	Recreated time.Duration // a pod or a whole job is deleted, and made again under its name
	AnyStep   float64       // so is a pod right before or after a scheduler's write about it
	Hostile   time.Duration // a tenant writes what it may, to harm others
}

// drawn is a world with a mix of trouble of its own: each kind is there in about half of all worlds, or in fewer.
func drawn(seed uint64, lasts time.Duration) Options {
	r := rand.New(rand.NewPCG(seed, 2))
	p := func(most float64) float64 { return float64(r.IntN(2)) * r.Float64() * most }
	d := func(least time.Duration) time.Duration {
		return time.Duration(r.IntN(2)) * (least + time.Duration(r.Int64N(int64(4*least))))
	}
	rare := func(least time.Duration) time.Duration { return time.Duration(r.IntN(2)) * d(least) }
	return Options{Seed: seed, Lasts: lasts, Settles: time.Hour, Nodes: 2 + r.IntN(5), Schedulers: 1 + r.IntN(2),
		Trouble: Trouble{
			NetworkTrouble{LostBefore: p(0.05), LostAfter: p(0.05), Late: p(0.1), Doubled: p(0.05),
				WatchDies: d(10 * time.Second), WatchStalls: d(30 * time.Second), Skips: d(time.Minute),
				Cut: d(2 * time.Minute), OneWay: d(2 * time.Minute)},
			ServerTrouble{Conflict: p(0.05), TooMany: p(0.05), Internal: p(0.05), Compacts: d(2 * time.Minute),
				Restarts: d(3 * time.Minute), Jumps: rare(2 * time.Minute), Restored: rare(4 * time.Minute)},
			ProcessTrouble{Killed: d(2 * time.Minute), Replaced: d(3 * time.Minute), Paused: d(2 * time.Minute),
				Panics: d(time.Minute), Reloads: d(2 * time.Minute), Dumps: d(2 * time.Minute), NoDisk: r.IntN(2) == 0,
				Volcano: rare(4 * time.Minute)},
			ClusterTrouble{NodeFails: d(2 * time.Minute), Cordoned: d(time.Minute), Recreated: d(20 * time.Second),
				AnyStep: p(0.05), Hostile: d(10 * time.Second)}}}
}
