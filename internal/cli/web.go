package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/manifest"
	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/web"
	"ashlar.sh/internal/web/player"
)

// pages shows the page.
type pages struct{ Process }

// watching is what the flags of web ask for.
type watching struct {
	simulation
	address string
	speed   float64
	paused  bool
	from    time.Duration

	readAPI             // of a live scheduler, instead of files
	kubeconfig, context string
}

// isLive says that a live scheduler is to be shown.
func (s *watching) isLive() bool { return len(s.files) == 0 && s.traceJobs == "" }

const webLong = `Shows in the browser what the scheduler does and why: jobs, queues, nodes, what waits for
what, and evictions. The input and the configuration are those of simulate; a virtual clock
runs at a multiple of its speed, and can be paused and wound back. A FILE may also be what a
live scheduler saved: of a dump or a snapshot (see snapshot) one moment is shown, a recording
(see replay) is played cycle by cycle.

Without a FILE it is the live scheduler of the cluster of your kubeconfig: it is found by its
Lease, reached through the API server, and asked with your credentials, so that it tells what you
may see. They are sent to no other server (docs/read-api.md). When it restarts, or another one
takes over, the page says so and goes on.

The page is served on this machine's loopback address, to the first browser that opens the
address that is printed. It writes nothing and asks no other server for anything. Ctrl-C
ends it.

Exit codes: 0 ended by Ctrl-C; 1 bad input or configuration; 2 bad usage.`

func (p pages) web(name string) *cobra.Command {
	s := watching{}
	c := &cobra.Command{
		Use:   "web [FILE|DIR|- ...]",
		Short: "Show it in the browser: what waits, why, and who has the room",
		Long:  webLong,
		Example: strings.ReplaceAll(`  # The live scheduler of your cluster
  NAME web

  # The files of a folder
  NAME web examples/quickstart

  # A trace at 1 000 times its speed, which stands still until it is started
  NAME web nodes.csv jobs.csv --paused

  # The same, but it opens after a week of the trace, which has run by then
  NAME web nodes.csv jobs.csv --from 168h

  # What a live scheduler saved: a moment, and all that happened in a while
  NAME web state.json.gz
  NAME web ashlar-recording-4711.jsonl.gz

  # A scheduler whose Lease is elsewhere
  NAME web --scheduler-namespace batch --scheduler-name gpu`, "NAME", name),
		RunE: func(c *cobra.Command, args []string) error {
			s.files = append(s.files, args...)
			s.output = "table"
			s.until = "quiet"
			s.schedulersGiven = c.Flags().Changed("scheduler-name")
			if err := s.checkRead(); err != nil {
				return err
			}
			switch {
			case s.from < 0:
				return fmt.Errorf("--from %s: expected 0 or more", s.from)
			case !(s.speed >= player.Slowest && s.speed <= player.Fastest): // it may be no number
				return fmt.Errorf("--speed %v: expected %v to %v", s.speed, player.Slowest, int(player.Fastest))
			case s.isLive() && s.from > 0:
				return errors.New("--from: a live scheduler is shown as it is; expected files")
			case s.isLive():
			case s.readAPI != (readAPI{}):
				return errors.New("--read-api and --scheduler-namespace: a live scheduler is shown, or files, not both")
			default:
				if err := s.check(); err != nil {
					return err
				}
			}
			return p.showPage(c.Context(), s)
		},
	}
	f := c.Flags()
	s.source(c)
	f.StringVar(&s.traceNodes, "trace-nodes", "", "table of a trace's nodes, with --trace-jobs")
	f.StringVar(&s.traceJobs, "trace-jobs", "", "table of a trace's jobs, with --trace-nodes")
	s.durations = declared
	f.StringVar(&s.preemptCost, "trace-preempt-cost", restart,
		"what an eviction costs a pod of a trace: restart (it begins anew) or none (it goes on where it was)")
	f.StringVar(&s.address, "address", "127.0.0.1:0", "loopback address and port to serve on; port 0: one that is free")
	f.Float64Var(&s.speed, "speed", 1000, "how many virtual seconds pass in a second")
	s.readFlags(f)
	f.StringVar(&s.kubeconfig, "kubeconfig", "",
		"of a live scheduler: kubeconfig file; default $KUBECONFIG, else ~/.kube/config")
	f.StringVar(&s.context, "context", "", "context of the kubeconfig")
	f.DurationVar(&s.from, "from", 0, "virtual time at which the page opens; it can be wound back from there")
	f.BoolVar(&s.paused, "paused", false, "stand still until it is started in the page")
	c.MarkFlagsRequiredTogether("trace-nodes", "trace-jobs")
	return c
}

// showPage reads, then serves the page until it is ended.
func (p pages) showPage(ctx context.Context, s watching) error {
	if ctx == nil {
		ctx = context.Background()
	}
	api, run, err := p.api(s)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", s.address)
	if err != nil {
		return badInput(fmt.Sprintf("error: --address %s: %v", s.address, err))
	}
	site, err := web.NewServer(listener.Addr(), api)
	if err != nil {
		listener.Close()
		return badInput("error: " + err.Error())
	}
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	fmt.Fprintf(p.Out, "Open %s\nIt lets in one browser; Ctrl-C ends it.\n", site.URL())
	server := &http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	played := make(chan struct{})
	go func() {
		defer close(played)
		run(ctx.Done())
	}()
	go func() {
		<-ctx.Done()
		within, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(within) != nil {
			_ = server.Close() // a browser reads on
		}
	}()
	err = server.Serve(listener)
	stop()
	<-played
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return badInput("error: serving the page: " + err.Error())
	}
	return nil
}

// api is what answers the page, and what has to run meanwhile.
func (p pages) api(s watching) (http.Handler, func(stop <-chan struct{}), error) {
	if s.isLive() {
		h, err := p.live(s)
		return h, func(stop <-chan struct{}) { <-stop }, err
	}
	shown, err := p.player(s)
	if err != nil {
		return nil, nil, err
	}
	return shown.Handler(), shown.Run, nil
}

// player makes what the page shows.
func (p pages) player(s watching) (*player.Player, error) {
	switch saved, err := s.sort(); {
	case err != nil:
		return nil, err
	case saved != "":
		return p.saved(s, saved)
	}
	in, err := p.read(s.simulation)
	if err != nil {
		return nil, orOther(err, s.files)
	}
	if in.trace != nil {
		in.add(in.trace, s.simulation)
	}
	s.came = true
	world, err := in.world(p.Process, s.simulation)
	if err != nil {
		return nil, err
	}
	o := player.Options{Title: s.title(), Source: "files", Begin: in.begin(), Speed: s.speed, Paused: s.paused,
		From:      s.from,
		Summary:   func() explain.Summary { return totals(world) },
		Evictions: lastKnown(world),
		Parse:     p.parsed(s.simulation),
		Start:     func() ([]sim.Item, int64) { return in.items, in.begin() },
		Make: func(items []sim.Item, begin int64, configuration string) (*sim.World, error) {
			by := in.profile
			if configuration != "" {
				chosen, err := p.given(configuration)
				if err != nil {
					return nil, err
				}
				by = profile.Of(chosen)
			}
			engine, err := in.engine(p.Process)
			if err != nil {
				return nil, err
			}
			return sim.New(by, items, sim.Options{Engine: engine, Begin: begin, Written: written, Freed: freed})
		},
		Configuration: func() string { return cmp.Or(in.text, config.DefaultText) }}
	if in.trace != nil {
		o.Source = "trace"
	}
	var problems []explain.Problem
	for _, problem := range in.problems {
		problems = append(problems, explain.Problem{Object: problem.Object, Message: problem.Message})
	}
	o.Problems = func() []explain.Problem { return problems }
	return player.New(world, o), nil
}

// lastKnown returns the evictions of a run, which are described anew only when there are more.
func lastKnown(w *sim.World) func() []explain.Eviction {
	var told []explain.Eviction
	return func() []explain.Eviction {
		if w.Summary().Evicted != len(told) {
			told = evictions(w)
		}
		return told
	}
}

// given reads a configuration that somebody wrote in the page.
func (p pages) given(text string) (*config.Scheduler, error) {
	chosen, lines := p.parse(config.Source{File: "the other configuration"}, text)
	if len(lines) > 0 {
		return nil, errors.New(strings.Join(lines, "\n"))
	}
	return chosen, nil
}

// parsed reads objects that somebody adds in the page.
func (p pages) parsed(s simulation) func(string) ([]sim.Item, error) {
	return func(text string) ([]sim.Item, error) {
		set, errs := manifest.LoadWithProgress([]string{"-"}, strings.NewReader(text), nil)
		if len(errs) > 0 {
			var lines []string
			for _, e := range errs {
				lines = append(lines, e.Error())
			}
			return nil, errors.New(strings.Join(lines, "\n"))
		}
		out := itemsOf(set.Expand(s.schedulers...))
		if len(out) == 0 {
			return nil, errors.New("there are no objects in it")
		}
		return out, nil
	}
}

// title is what the page calls the input.
func (s *watching) title() string {
	name := s.traceJobs
	if name == "" && len(s.files) > 0 {
		name = s.files[0]
	}
	if name == "-" {
		return "standard input"
	}
	base, _, _ := strings.Cut(filepath.Base(name), ".")
	if base == "jobs" || base == "" { // the folder says more
		if path, err := filepath.Abs(name); err == nil {
			base = filepath.Base(filepath.Dir(path))
		}
	}
	return base
}
