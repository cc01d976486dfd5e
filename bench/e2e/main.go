// Command e2e measures the live scheduler on a real API server, as a share of what a plain client
// reaches that only posts bindings which somebody decided before: same machine, same run, in turns.
//
//	go run ./bench/e2e -nodes 1000,5000
//	go run ./bench/e2e -only cold,latency
//
// The control plane is etcd and kube-apiserver, as test/controlplane builds them, with the load, the
// plain client and the observer in one process and the scheduler in another. Nodes are objects that
// have no kubelet, so pods are bound and do not run. What it prints are medians of -rounds,
// with the least and the most; a ratio is that of two rounds beside each other. On a machine that does
// other things rates differ by half and ratios by a fifth.
//
// It is not a test: it fails only when something cannot be measured.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// settings are what the flags ask for.
type settings struct {
	nodes   []int
	pods    int
	rounds  int
	only    []string
	events  []string
	shape   string
	running int // pods that run already, for cold
	profile string
}

func main() {
	if os.Getenv(childMark) != "" {
		exit(scheduleAsChild())
	}
	var s settings
	var nodes, only, events string
	flag.StringVar(&nodes, "nodes", "1000,5000", "how many nodes, several by commas")
	flag.IntVar(&s.pods, "pods", 3000, "how many pods a round binds")
	flag.IntVar(&s.rounds, "rounds", 3, "how often each thing is measured")
	flag.StringVar(&only, "only", "rate,latency", "what to measure: rate, create, latency, cold")
	flag.StringVar(&events, "events", "no,yes", "for rate: with events, without, or both")
	flag.StringVar(&s.shape, "shape", "",
		"for rate: only what has this in its name, as \"gangs\" or \"one-pod jobs without\"")
	flag.IntVar(&s.running, "running", 100_000,
		"pods that run when a scheduler starts cold; it is measured at half of them too")
	flag.StringVar(&s.profile, "profile", "", "folder for CPU profiles of the scheduler, one a round")
	flag.Parse()
	for _, n := range strings.Split(nodes, ",") {
		count, err := strconv.Atoi(n)
		if err != nil || count < 1 {
			exit(fmt.Errorf("-nodes %q: expected counts, separated by commas", nodes))
		}
		s.nodes = append(s.nodes, count)
	}
	s.only, s.events = strings.Split(only, ","), strings.Split(events, ",")
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	exit(measure(ctx, s))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/e2e:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// measure takes one control plane for each number of nodes.
func measure(ctx context.Context, s settings) error {
	for _, nodes := range s.nodes {
		if err := measureOn(ctx, s, nodes); err != nil {
			return fmt.Errorf("%d nodes: %w", nodes, err)
		}
	}
	return nil
}

func measureOn(ctx context.Context, s settings, nodes int) (err error) {
	p, err := newPlane(ctx, nodes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	for _, m := range []struct {
		name string
		do   func(context.Context, *plane, settings) error
	}{{"rate", rates}, {"create", whileCreating}, {"latency", latencies}, {"cold", cold}} {
		if !slices.Contains(s.only, m.name) {
			continue
		}
		if err := m.do(ctx, p, s); err != nil {
			return fmt.Errorf("measure %s: %w", m.name, err)
		}
	}
	return nil
}

// spread is a median with the least and the most.
func spread(of []float64) string {
	sorted := slices.Sorted(slices.Values(of))
	return fmt.Sprintf("%.0f (%.0f to %.0f)", median(of), sorted[0], sorted[len(sorted)-1])
}

// ratios are those of rounds that followed each other.
func ratios(ours, plain []float64) string {
	out := make([]float64, len(ours))
	for i := range ours {
		out[i] = ours[i] / plain[i]
	}
	sorted := slices.Sorted(slices.Values(out))
	return fmt.Sprintf("%.2f (%.2f to %.2f)", median(out), sorted[0], sorted[len(sorted)-1])
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}
