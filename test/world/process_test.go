package world

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"

	"ashlar.sh/internal/loop"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/test/world/apimodel"
)

const (
	leaseNamespace = "ashlar-system"
	userNamespace  = "team"
)

// figured is how often schedulers take figures for metrics: no time passes while they do, by which they would pace it.
const figured = 30 * time.Second

// process is a scheduler that runs, as Kubernetes would run it: it is started again when it has ended.
type process struct {
	name     string
	listener *listener
	server   *http.Server
	direct   *direct
	cancel   context.CancelFunc
	ended    chan error
	killed   bool
	closed   bool // what was left of it has ended
	still    *standstill
	dumps    chan os.Signal
	bug      bug
	reads    atomic.Pointer[http.Handler] // the read API; nil: there is none, or not yet
	records  string                       // the folder with what it recorded; "": it records nothing
	ahead    time.Duration                // by how much its clock is ahead of what time it is
}

// start starts a scheduler in the place of one of that name that has ended.
func (w *World) start(name string) {
	lives := w.result.Did["a scheduler started"]
	w.did("a scheduler started")
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{name: name + "." + number(lives), listener: newListener(), cancel: cancel, ended: make(chan error, 1),
		still: &standstill{}, dumps: make(chan os.Signal, 1), ahead: w.clocks[name]}
	if lives >= max(1, w.Schedulers) {
		w.conf.reborn(name)
	}
	w.net.ahead[p.name] = p.ahead
	if p.ahead != 0 {
		w.did("a life with a clock that is off")
	}
	p.direct = newDirect(gate{w.seq}, p.name)
	serve := apimodel.Handler(gate{w.seq}, p.name)
	// A connection for each request: which of several that wait at once gets a used one is nobody's to say, and a broken
	// one has the transport send a request again.
	once := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		serve.ServeHTTP(w, r)
	})
	p.server = &http.Server{Handler: once, ReadHeaderTimeout: time.Minute,
		ErrorLog: silent}
	go func() { _ = p.server.Serve(p.listener) }() // its error is that it was closed
	still, listener := p.still, p.listener         // client-go keeps the function for good, and no world is to hang on it
	dial := func(ctx context.Context, network, at string) (net.Conn, error) {
		still.wait(ctx)
		return listener.dial(ctx, network, at)
	}
	config := &rest.Config{Host: "http://" + p.name, Transport: p.direct}
	if w.HTTP {
		config.Transport, config.Dial = nil, dial
	}
	config.Wrap(p.bug.inRequests)
	config.Wrap(p.still.inRequests)
	if w.Breaks.wrap != nil {
		config.Wrap(w.Breaks.wrap)
	}
	w.log("%s starts", p.name)
	settle := func() {
		p.still.wait(context.Background())
		settled()
	}
	options := loop.Options{Config: config, ConfigFile: w.conf.of[name].path, Dump: p.dumps, DumpDir: w.conf.dumps(),
		Recording: w.recorded(p), Simulated: loop.Simulated{BeforeCycle: settle, Order: p.bug.order, Figures: figured,
			Ahead: p.ahead, Violated: w.violated(p)},
		QuietBinds: w.chance(0.5), Period: w.period(), Plugins: []policy.Definition{p.bug.plugin()},
		Election: apart(&loop.Election{Namespace: leaseNamespace, Name: "volcano", Identity: p.name})}
	if w.Reads {
		options.Read.Estimates = estimated
		options.Simulated.Reads = func(h http.Handler) { p.reads.Store(&h) }
	}
	if w.Breaks.options != nil {
		w.Breaks.options(&options)
	}
	go func() { p.ended <- loop.Run(ctx, options) }()
	at := len(w.procs)
	for i, old := range w.procs {
		if base(old.name) == name {
			at = i
		}
	}
	if at == len(w.procs) {
		w.procs = append(w.procs, nil)
	}
	w.procs[at] = p
	w.tend(p)
}

// violated has what a scheduler itself finds wrong, and would tell by a metric, be wrong.
func (w *World) violated(p *process) func(invariant string) {
	return func(invariant string) {
		w.seq.post(1<<30, func() { w.wrong("%s counts that an invariant does not hold: %s", p.name, invariant) })
	}
}

// apart sets the times of an election, which are the usual ones but for nanoseconds: by those the second of two
// requests for a renewal, the pause before the next try and the renewal itself run out at one moment, and which of
// several that have run out a select sees is drawn by Go's runtime, by no seed of ours.
func apart(e *loop.Election) *loop.Election {
	e.LeaseDuration, e.RenewDeadline, e.RetryPeriod = leaseLasts, 10*time.Second+1, 2*time.Second+3
	return e
}

// settled returns when all that happens in a process at one time has happened: whether a cycle sees the half of it
// depends on which goroutine runs first, and no seed says that.
func settled() {
	<-time.NewTimer(time.Microsecond).C
}

// byName puts facts in order: the first lists of client-go come in the order of a map.
func byName(facts []model.Fact) {
	slices.SortStableFunc(facts, func(a, b model.Fact) int {
		return cmp.Or(cmp.Compare(a.Ref.Kind, b.Ref.Kind), cmp.Compare(a.Ref.Namespace, b.Ref.Namespace),
			cmp.Compare(a.Ref.Name, b.Ref.Name))
	})
}

func base(name string) string { return name[:strings.IndexByte(name, '.')] }

func number(n int) string {
	const digits = "0123456789"
	if n < 10 {
		return digits[n : n+1]
	}
	return number(n/10) + digits[n%10:n%10+1]
}

// tend starts a scheduler again some time after it has ended.
func (w *World) tend(p *process) {
	w.seq.after(time.Second, func() {
		select {
		case err := <-p.ended:
			w.did("a scheduler ended")
			w.log("%s ended: %v", p.name, err)
			w.close(p)
			w.seq.after(w.between(time.Second, 5*time.Second), func() { w.start(base(p.name)) })
		default:
			w.tend(p)
		}
	})
}

// kill ends a scheduler from one moment to the next: of what it does from then on, nothing gets out.
func (w *World) kill(p *process) {
	if p.killed {
		return
	}
	w.did("a scheduler killed")
	w.log("%s is killed", p.name)
	p.killed = true
	p.still.begin(0)
	p.cancel()
	w.net.endAll(p.name)
}

// close ends what is left of a scheduler that has ended.
func (w *World) close(p *process) {
	p.closed = true
	w.result.Did["a panic"] += int(p.bug.shown.Load())
	w.result.Did["a panic after a request"] += int(p.bug.answered.Load())
	_ = p.listener.Close() // it has no error
	p.listener.cut()
	p.direct.cut()
	w.net.drop(p.name)
	_ = p.server.Close()
	w.replay(p)
}

// life is the one that a machine's scheduler lives; nil: it is to be started.
func (w *World) life(name string) *process {
	for _, p := range w.procs {
		if base(p.name) == name && !p.killed && !p.closed {
			return p
		}
	}
	return nil
}

// dead says that a client's process was killed.
func (w *World) dead(client string) bool {
	for _, p := range w.procs {
		if p.name == client {
			return p.killed
		}
	}
	return true
}

// stop ends everything that runs, so that the bubble can end.
func (w *World) stop() {
	for _, p := range w.procs {
		p.cancel()
	}
	w.seq.abandon()
	ends := time.Now().Add(5 * time.Minute)
	for _, p := range w.procs {
		if p.closed { // it was to be started again
			continue
		}
		for late, done := false, false; !done; {
			if !late && time.Now().After(ends) { // and it is waited for: no bubble ends before all in it
				late = true
				w.wrong("%s was asked to end and has not in 5 minutes", p.name)
			}
			select {
			case <-p.ended:
				done = true
			default:
				w.until(time.Since(w.began) + time.Second)
			}
		}
		w.close(p)
	}
	for again := true; again; again = w.seq.abandon() > 0 { // not all that a scheduler asks ends with it
		w.until(time.Since(w.began) + time.Minute)
	}
}

// period is after how long a scheduler has a cycle at the latest: half a second or one, up to 4 where all is slower.
func (w *World) period() time.Duration {
	if w.Pace > 1 {
		return time.Second << w.random.IntN(3)
	}
	return time.Second >> w.random.IntN(2)
}
