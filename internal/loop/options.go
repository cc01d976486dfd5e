package loop

import (
	"net/http"
	"os"
	"time"

	"k8s.io/client-go/rest"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// Adopt is what becomes of pods of ours that name no PodGroup (decision 25).
type Adopt string

// The ways to adopt.
const (
	// those for which no controller makes a PodGroup: they wait for it as long as that is seen to take
	AdoptAuto   Adopt = "auto"
	AdoptAlways Adopt = "always"
	AdoptNever  Adopt = "never"
)

// Options says which cluster to schedule and how. Only Config must be set.
type Options struct {
	Config *rest.Config // is copied, not changed
	// SchedulerNames are the schedulerNames that are ours; none: volcano.
	SchedulerNames []string
	DefaultQueue   string // is made if missing; "": default
	Adopt          Adopt  // "": auto
	// ConfigFile is read at the start and again whenever it changes; "": Volcano's default.
	ConfigFile string
	Mode       config.Mode
	// FallBack takes Volcano's default for a ConfigFile that is bad at the start.
	FallBack bool
	Period   time.Duration // at the latest after this long there is a cycle; 0: 1 s
	Election *Election     // nil: alone
	Addresses
	// Stranded is how long a gang that never had its minimum may stand below it, because the
	// API server refuses members for good, before the others are released (decisions 22, 36);
	// 0: 60 s.
	Stranded time.Duration
	// NodeSelector are labels as key:value; nodes with none of them are not there for
	// this scheduler. None: all nodes are.
	NodeSelector []string
	// LevelSocket is the folder for a socket that sets the log level; "": there is none.
	LevelSocket string
	// Shard is how nodes are shared with other schedulers.
	Shard observe.Sharding
	// Ring is the schedulers of a StatefulSet that share nodes and jobs by name.
	Ring observe.Ring
	// QuietBinds leaves out the event Scheduled of each pod that is bound.
	QuietBinds bool
	Drain      time.Duration // how long what is under way may take at the end; 0: 10 s
	DumpDir    string        // where what led to a panic, and dumps, are saved; "": the temporary folder
	// Dump asks for a dump with every value that it sends; nil: no dumps are requested.
	Dump <-chan os.Signal
	Program
	Recording Recording
	Resync    time.Duration // client-go's
	Engine    []sched.Option
	Plugins   []policy.Definition // compiled in beside the built ones; a configuration may name them
	Simulated Simulated
}

// Simulated is what simulated time asks for, so that equal runs are equal; none of it: time is real.
type Simulated struct {
	// BeforeCycle, if set, is called before each cycle. It lets all that happens at one time happen before.
	BeforeCycle func()
	// Order, if set, puts facts that are taken in together in an order; those about one object stay as they are. A first
	// list comes in no order, and nothing decided follows from it; which words come first would.
	Order func([]model.Fact)
	// Figures is how long at least lies between two times at which the figures of metrics are taken. The time that this
	// takes paces it otherwise, and none passes meanwhile.
	Figures time.Duration
	// Violated, if set, is told of what is counted in ashlar_invariant_violations_total, in the loop's goroutine.
	Violated func(invariant string)
	// Reads, if set, is given what answers the read API, before any question: it need not listen then.
	Reads func(http.Handler)
	// Ahead is by how much the clock of the machine is ahead when the scheduler starts; it may be behind.
	Ahead time.Duration
}

// Program is what the process says of itself.
type Program struct {
	// Version is saved with what it saves; "": unknown.
	Version string
	// Flags are what it was started with, to be shown.
	Flags map[string]string
}

// Addresses are where the scheduler serves; "" serves not.
type Addresses struct {
	Metrics string // /metrics, /configz, and with Pprof /debug/pprof and /debug/flags/v
	Health  string // /livez, /readyz, /healthz, /configz
	Pprof   bool
	TLS     TLS // of Health
	Read    ReadAPI
}

// ReadAPI is where and how package readapi serves; the zero value: not.
type ReadAPI struct {
	Address          string // "": nowhere
	Certificate, Key string // files; both "": a certificate of its own
	Namespace        string // of this scheduler's pod, to be told to clients; "": unknown
	// Estimates is how often it is estimated at most when jobs start; 0: never. It needs as much memory again as the
	// engine has, for a moment.
	Estimates time.Duration
}

// TLS names the files that a server proves itself by; none: it serves without. They are
// read anew for each connection, so a certificate that is replaced takes effect.
type TLS struct {
	Certificate, Key string
	CA               string // clients that show a certificate must have it from here; "": none is asked for
}

// Election is how schedulers agree on which of them acts: by a Lease.
type Election struct {
	Namespace, Name string
	Identity        string // "": the host's name and a random part
	// LeaseDuration, RenewDeadline and RetryPeriod are client-go's; 0: 15, 10 and 2 s.
	LeaseDuration, RenewDeadline, RetryPeriod time.Duration
}

func (o Options) withDefaults() Options {
	if len(o.SchedulerNames) == 0 {
		o.SchedulerNames = []string{translate.DefaultScheduler}
	}
	if o.DefaultQueue == "" {
		o.DefaultQueue = model.DefaultQueue
	}
	if o.Adopt == "" {
		o.Adopt = AdoptAuto
	}
	if o.Period <= 0 {
		o.Period = time.Second
	}
	if o.Stranded <= 0 {
		o.Stranded = time.Minute
	}
	if o.Drain <= 0 {
		o.Drain = 10 * time.Second
	}
	if o.DumpDir == "" {
		o.DumpDir = os.TempDir()
	}
	return o
}
