//go:build !simulator

package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/internal/loop"
)

// scheduling is what the flags of scheduler ask for.
type scheduling struct {
	loop.Options
	master, kubeconfig string
	adopt              string
	strictOnly         bool // no fall-back to the default configuration
	elect              bool
	election           loop.Election
	metricsAddress     string
	healthAddress      string
	metrics, health    bool
	dumper             bool
	version            bool
	pluginsDir         string
	sharding           string
	resourceLock       string
	memory, disk       string // of recordings
	lenient            bool   // called as vc-scheduler
}

const schedulerLong = `Schedules the pods of a cluster that have --scheduler-name as schedulerName. It takes every
flag of Volcano's vc-scheduler, and under that name it takes its place: the same
ConfigMap, Lease, ports and metrics. Flags that change nothing here say so in the log.

Called as vc-scheduler it warns where it would otherwise refuse: a key, an argument or a
plugin in the configuration that it does not know is left out, not an error.

It needs a cluster: --kubeconfig, else $KUBECONFIG, else the service account of the pod
it runs in. docs/live.md says what works and what does not yet.

Exit codes: 0 ended by SIGTERM or SIGINT; 1 the configuration, the cluster or the lease
is not to be had; 2 bad usage.`

func (p Process) scheduler() *cobra.Command {
	s := scheduling{lenient: p.calledAs("vc-scheduler")}
	c := &cobra.Command{
		Use:   "scheduler",
		Short: "Schedule a cluster",
		Long:  schedulerLong,
		Example: `  # Schedule the cluster that kubectl speaks to, beside kube-scheduler
  ashlar scheduler --kubeconfig ~/.kube/config --scheduler-name ashlar --leader-elect=false`,
		Args: cobra.ArbitraryArgs, // Volcano's chart passes a stray one
		RunE: func(c *cobra.Command, args []string) error { return p.schedule(&s, c.Flags(), args) },
	}
	// A flag of a later Volcano must not end a scheduler that took its place.
	c.FParseErrWhitelist.UnknownFlags = s.lenient
	s.flags(c.Flags())
	klogFlags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(klogFlags)
	c.Flags().AddGoFlagSet(klogFlags)
	return c
}

// readFlags are those of the read API.
func (s *scheduling) readFlags(f *pflag.FlagSet) {
	f.StringVar(&s.Read.Address, "read-api-address", "",
		"address to answer on over HTTPS why jobs wait and how queues stand (docs/read-api.md); default nowhere")
	f.StringVar(&s.Read.Certificate, "read-api-cert-file", "",
		"certificate to serve --read-api-address with; default one of its own, whose fingerprint is in the log")
	f.StringVar(&s.Read.Key, "read-api-private-key-file", "", "key of --read-api-cert-file")
	f.DurationVar(&s.Read.Estimates, "estimate-every", 30*time.Second,
		"with --read-api-address, how often it is estimated at most when waiting jobs start (docs/time.md); 0: never")
}

func (s *scheduling) flags(f *pflag.FlagSet) {
	f.StringVar(&s.master, "master", "", "address of the API server, over that of the kubeconfig")
	f.StringVar(&s.kubeconfig, "kubeconfig", "", "kubeconfig file; default $KUBECONFIG, else the pod's service account")
	f.StringArrayVar(&s.SchedulerNames, "scheduler-name", []string{"volcano"},
		"schedulerName of the pods to schedule; may be given several times")
	f.StringVar(&s.ConfigFile, "scheduler-conf", "", "volcano-scheduler.conf; it is read again when it changes")
	f.StringVar(&s.DefaultQueue, "default-queue", "default", "queue of jobs that name none; it is made if missing")
	f.DurationVar(&s.Period, "schedule-period", time.Second,
		"at the latest after this long there is a cycle; changes wake the scheduler at once")
	f.DurationVar(&s.Resync, "resync-period", 0, "resync period of client-go; 0 is best")
	f.StringVar(&s.adopt, "adopt-ungrouped", "auto",
		"schedule pods without a PodGroup as gangs of their own: always, never, or auto: those for which no controller "+
			"makes a PodGroup")
	f.DurationVar(&s.Stranded, "stranded-gang-timeout", time.Minute,
		"how long a gang that never had its minimum may stand below it, because the API server refuses to bind members, "+
			"before the others are released")
	f.BoolVar(&s.QuietBinds, "quiet-binds", false,
		"leave out the event Scheduled of each pod that is bound: half of what a bound pod costs in writes")
	f.StringVar(&s.DumpDir, "cache-dump-dir", os.TempDir(),
		"folder in which dumps, and what is saved when a bug shows, have a private folder ashlar-recordings")
	f.BoolVar(&s.dumper, "cache-dumper", true,
		"write what is known to --cache-dump-dir on SIGUSR1 and SIGUSR2; ashlar replay reads it")
	f.StringVar(&s.memory, "recording-memory", "64Mi",
		"how much memory may be used to record what comes in and is decided, for ashlar replay; 0: nothing is recorded")
	f.StringVar(&s.Recording.Dir, "recording-dir", "",
		"folder to write that to all the time, too; without it, it is written to --cache-dump-dir when something happens")
	f.StringVar(&s.disk, "recording-disk", "1Gi", "how much the files in --recording-dir may take together")
	f.StringSliceVar(&s.NodeSelector, "node-selector", nil, "key:value labels; only nodes with one of them are used")
	f.BoolVar(&s.strictOnly, "disable-default-scheduler-config", false,
		"a configuration that is bad at the start ends the scheduler, also as vc-scheduler")
	f.BoolVar(&s.version, "version", false, "print the version and end")

	f.StringVar(&s.metricsAddress, "listen-address", ":8080", "address of /metrics, /configz and /debug")
	f.BoolVar(&s.metrics, "enable-metrics", false, "serve /metrics")
	f.BoolVar(&s.Pprof, "enable-pprof", false,
		"serve to this machine alone /debug/pprof, and /debug/flags/v to set the log level")
	f.StringVar(&s.healthAddress, "healthz-address", ":11251", "address of /livez, /readyz, /healthz and /configz")
	f.BoolVar(&s.health, "enable-healthz", false, "serve /livez, /readyz, /healthz and /configz")
	f.StringVar(&s.TLS.Certificate, "tls-cert-file", "",
		"certificate to serve --healthz-address with TLS; read anew when it changes")
	f.StringVar(&s.TLS.Key, "tls-private-key-file", "", "key of --tls-cert-file")
	f.StringVar(&s.TLS.CA, "ca-cert-file", "",
		"certificate authorities for the certificates that clients of --healthz-address present")

	s.readFlags(f)

	f.BoolVar(&s.elect, "leader-elect", true, "act only while holding the lease")
	f.DurationVar(&s.election.LeaseDuration, "leader-elect-lease-duration", 15*time.Second,
		"how long others wait for a leader that is silent")
	f.DurationVar(&s.election.RenewDeadline, "leader-elect-renew-deadline", 10*time.Second,
		"how long the leader tries to renew before it gives up")
	f.DurationVar(&s.election.RetryPeriod, "leader-elect-retry-period", 2*time.Second, "pause between tries")
	f.StringVar(&s.resourceLock, "leader-elect-resource-lock", "leases", "leases, the only kind there is")
	f.StringVar(&s.election.Name, "leader-elect-resource-name", "", "name of the lease; default the scheduler's name")
	f.StringVar(&s.election.Namespace, "leader-elect-resource-namespace", "volcano-system", "namespace of the lease")
	f.StringVar(&s.election.Namespace, "lock-object-namespace", "volcano-system",
		"deprecated: --leader-elect-resource-namespace")

	f.StringVar(&s.pluginsDir, "plugins-dir", "", "not supported: plugins are compiled in")
	f.StringVar(&s.sharding, "scheduler-sharding-mode", "none",
		"what nodes outside of this scheduler's NodeShard are: none: no matter; soft: used where none of its own takes a "+
			"pod; hard: not used")
	f.StringVar(&s.Shard.Name, "scheduler-sharding-name", "volcano", "name of this scheduler's NodeShard")
	idle(f)
}

// idle are flags of vc-scheduler that change nothing here, with the reason that is
// logged when one is given.
func idle(f *pflag.FlagSet) {
	for _, i := range idleFlags {
		switch i.kind {
		case "bool":
			f.Bool(i.name, i.value == "true", "no effect: "+i.why)
		case "list":
			f.StringSlice(i.name, nil, "no effect: "+i.why)
		default:
			f.String(i.name, i.value, "no effect: "+i.why)
		}
	}
}

var idleFlags = []struct{ name, kind, value, why string }{
	{"priority-class", "bool", "true", "priority classes are always heeded"},
	{"kube-api-qps", "", "2000", "the rate of bindings follows from what the API server bears"},
	{"kube-api-burst", "", "2000", "the rate of bindings follows from what the API server bears"},
	{"minimum-feasible-nodes", "", "100", "every node is considered"},
	{"minimum-percentage-nodes-to-find", "", "5", "every node is considered"},
	{"percentage-nodes-to-find", "", "0", "every node is considered"},
	{"csi-storage", "bool", "true", "CSI storage is always heeded"},
	{"ignored-provisioners", "list", "", "no provisioner is ignored: volumes are no amounts of a node here"},
	{"node-worker-threads", "", "20", "changes are taken in by one goroutine"},
	{"gate-removal-worker-num", "", "5", "the gates of queues fall by requests like any other"},
	{"resource-sync-timeout", "", "60s", "nothing is decided before everything was listed, however long that takes"},
	{"log-flush-frequency", "", "5s", "the log is not held back"},
	{"feature-gates", "", "", "this version has no gates"},
}

// schedule runs until a signal.
func (p Process) schedule(s *scheduling, f *pflag.FlagSet, args []string) error {
	own := ownVersions()
	s.Version = own.Version
	if s.version {
		return own.print(p.Out, "")
	}
	if err := s.check(); err != nil {
		return badInput("error: " + err.Error())
	}
	if err := s.checkRing(p.Env); err != nil {
		return badInput("error: " + err.Error())
	}
	for _, i := range idleFlags {
		if f.Changed(i.name) {
			klog.Warningf("--%s has no effect: %s", i.name, i.why)
		}
	}
	for _, arg := range p.Args[1:] {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		if strings.HasPrefix(arg, "--") && name != "" && f.Lookup(name) == nil {
			klog.Warningf("--%s has no effect: ashlar does not know it", name) // only vc-scheduler comes here with one
		}
	}
	if len(args) > 0 {
		klog.Warningf("arguments %q have no effect", args)
	}
	defer klog.Flush()
	restConfig, err := p.reach(s)
	if err != nil {
		return badInput("error: no cluster to schedule: "+err.Error(),
			"Name one with --kubeconfig, or use 'ashlar simulate' to try without.")
	}
	s.Config, s.Plugins, s.LevelSocket = restConfig, p.Plugins, p.Env("DEBUG_SOCKET_DIR")
	ctx, stop := untilInterrupted(context.Background())
	defer stop()
	s.Options.Flags = changed(f)
	if s.dumper {
		asked, quiet := dumpSignals()
		defer quiet()
		s.Dump = asked
	}
	useThreads(p.Env)
	klog.InfoS("Starting", "version", s.Version, "schedulerNames", s.SchedulerNames)
	if err := loop.Run(ctx, s.Options); err != nil {
		return badInput(strings.Split("error: "+err.Error(), "\n")...)
	}
	return nil
}

// changed are the flags that were given, with their values, to be shown.
func changed(f *pflag.FlagSet) map[string]string {
	out := map[string]string{}
	f.Visit(func(x *pflag.Flag) { out[x.Name] = x.Value.String() })
	return out
}

// check settles what follows from other flags, and refuses what cannot be had.
func (s *scheduling) check() error {
	s.Adopt = loop.Adopt(s.adopt)
	switch s.Adopt {
	case loop.AdoptAuto, loop.AdoptAlways, loop.AdoptNever:
	default: // a flag of ours: an error under every name
		return fmt.Errorf("--adopt-ungrouped %q: expected auto, always or never", s.adopt)
	}
	if err := s.checkNodeSelector(); err != nil {
		return err
	}
	if err := s.checkRecording(); err != nil {
		return err
	}
	if s.lenient {
		s.Mode, s.FallBack = config.Lenient, !s.strictOnly
	}
	if s.metrics || s.Pprof {
		s.Metrics = s.metricsAddress
	}
	if (s.TLS.Certificate == "") != (s.TLS.Key == "") {
		err := errors.New("--tls-cert-file and --tls-private-key-file: one is of no use without the other")
		if err := s.object(err, "--healthz-address is served without TLS"); err != nil {
			return err
		}
		s.TLS = loop.TLS{}
	}
	if (s.Read.Certificate == "") != (s.Read.Key == "") {
		return errors.New("--read-api-cert-file and --read-api-private-key-file: one is of no use without the other")
	}
	s.Read.Namespace = loop.PodNamespace()
	if s.health {
		s.Health = s.healthAddress
	}
	if s.elect {
		if s.election.Name == "" {
			s.election.Name = "volcano"
			if len(s.SchedulerNames) == 1 {
				s.election.Name = s.SchedulerNames[0]
			}
		}
		s.Election = &s.election
	}
	mode, err := observe.ParseShardMode(s.sharding)
	if err != nil {
		err := fmt.Errorf("--scheduler-sharding-mode %w", err)
		if err := s.object(err, "every node is used, as with none"); err != nil {
			return err
		}
	}
	s.Shard.Mode = mode
	if s.pluginsDir != "" {
		err := errors.New("--plugins-dir: Go plugins are not loaded; compile a plugin in with sched.WithPlugin")
		if err := s.object(err, "the plugins built in hold"); err != nil {
			return err
		}
	}
	if s.resourceLock != "leases" {
		err := fmt.Errorf("--leader-elect-resource-lock %s: only leases is there", s.resourceLock)
		return s.object(err, "leases is used")
	}
	return nil
}

// checkNodeSelector takes what is no key:value out of the selector.
func (s *scheduling) checkNodeSelector() error {
	var sound []string
	for _, label := range s.NodeSelector {
		if strings.Contains(label, ":") {
			sound = append(sound, label)
			continue
		}
		err := fmt.Errorf("--node-selector %q: expected key:value", label)
		if err := s.object(err, "it selects nothing; without any other selector every node is used"); err != nil {
			return err
		}
	}
	s.NodeSelector = sound
	return nil
}

// object returns an error about a flag, but as vc-scheduler, where it warns and says what
// holds instead: what runs with Volcano's scheduler must run with this one.
func (s *scheduling) object(err error, instead string) error {
	if !s.lenient {
		return err
	}
	klog.Warningf("%v; %s", err, instead)
	return nil
}

// reach finds the cluster that the flags, else $KUBECONFIG, else the pod's service
// account names.
func (p Process) reach(s *scheduling) (*rest.Config, error) {
	path := s.kubeconfig
	if path == "" && s.master == "" {
		path = p.Env("KUBECONFIG")
	}
	if path == "" && s.master == "" {
		c, err := rest.InClusterConfig()
		if errors.Is(err, rest.ErrNotInCluster) {
			return nil, errors.New("there is neither --kubeconfig nor $KUBECONFIG, and this is no pod")
		}
		return c, err
	}
	return clientcmd.BuildConfigFromFlags(s.master, path)
}
