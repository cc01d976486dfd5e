package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// whileCreating measures pods that are made while they are bound: the scheduler against a client
// that binds each pod as soon as it has made it.
func whileCreating(ctx context.Context, p *plane, s settings) error {
	fmt.Printf("\n%d nodes, %d pods bound while they are made, %d rounds, without events\n", len(p.nodes), s.pods,
		s.rounds)
	for _, shape := range shapes {
		var plain, ours []float64
		for range s.rounds {
			rate, err := p.createAndBind(ctx, shape, s.pods)
			if err != nil {
				return err
			}
			plain = append(plain, rate)
			c, err := p.run(false, "")
			if err != nil {
				return err
			}
			rate, err = p.createForOurs(ctx, shape, s.pods)
			if _, ended := c.end(); err == nil {
				err = ended
			}
			if err != nil {
				return err
			}
			ours = append(ours, rate)
		}
		fmt.Printf("  %-36s plain %s/s  ashlar %s/s  ratio %s\n", shape.name, spread(plain), spread(ours),
			ratios(ours, plain))
	}
	return nil
}

func (p *plane) createAndBind(ctx context.Context, s shape, pods int) (float64, error) {
	return p.created(ctx, s, pods, func(ctx context.Context, i int) error {
		if err := p.makePod(ctx, s, i, ""); err != nil {
			return err
		}
		return p.bindPlainly(ctx, i, false)
	})
}

func (p *plane) createForOurs(ctx context.Context, s shape, pods int) (float64, error) {
	return p.created(ctx, s, pods, func(ctx context.Context, i int) error { return p.makePod(ctx, s, i, "") })
}

// created is pods a second from the first that is bound to the last.
func (p *plane) created(ctx context.Context, s shape, pods int, one func(context.Context, int) error) (float64, error) {
	if err := p.makeGroups(ctx, s, pods); err != nil {
		return 0, err
	}
	seen, err := p.observe(ctx)
	if err != nil {
		return 0, err
	}
	failed := make(chan error, 1)
	go func() { failed <- each(ctx, pods, loaders, one) }()
	if err := seen.await(ctx, pods); err != nil {
		return 0, err
	}
	if err := <-failed; err != nil {
		return 0, err
	}
	return seen.rate(), p.clear(ctx, pods)
}

// quiet is how long no request is sent to the cluster before each pod: what was written about the
// last one is through by then.
const quiet = 100 * time.Millisecond

// latencies measures one pod at a time on a cluster that does nothing else: from before its
// creation is sent until its node is seen. Beside it stands what that takes at least: a client that
// binds its pod to a node it knows as soon as the creation is answered.
func latencies(ctx context.Context, p *plane, s settings) error {
	const pods, warm = 300, 50
	least, err := p.oneByOne(ctx, pods, func(ctx context.Context, i int) error { return p.bindPlainly(ctx, i, false) })
	if err != nil {
		return err
	}
	c, err := p.run(true, "")
	if err != nil {
		return err
	}
	took, err := p.oneByOne(ctx, pods, nil)
	u, ended := c.end()
	if err == nil {
		err = ended
	}
	if err != nil {
		return err
	}
	fmt.Printf("\n%d nodes, a pod at a time on "+
		"a quiet cluster, %d pods: from the creation's sending to the sight of the node %s;\n"+
		"  until the creation was answered %s; bound by a plain client that knows where %s; resident %d MiB\n",
		len(p.nodes), pods-warm, percentiles(took.bound[warm:]), percentiles(took.created[warm:]),
		percentiles(least.bound[warm:]), u.resident>>20)
	return nil
}

func percentiles(of []time.Duration) string {
	slices.Sort(of)
	return fmt.Sprintf("%s (median), %s (p99)", milliseconds(of[len(of)/2]), milliseconds(of[len(of)*99/100]))
}

// waits are how long the creation of a pod took, and until it was seen bound.
type waits struct{ created, bound []time.Duration }

// oneByOne makes pods one after the other and waits for the node of each; bind binds it, if it is not
// for somebody else to do.
func (p *plane) oneByOne(ctx context.Context, pods int, bind func(context.Context, int) error) (w waits, err error) {
	seen, err := p.observe(ctx)
	if err != nil {
		return w, err
	}
	defer seen.watch.Stop()
	for i := range pods {
		time.Sleep(quiet)
		began := time.Now()
		if err := p.makePod(ctx, shape{name: "quick"}, i, ""); err != nil {
			return w, err
		}
		w.created = append(w.created, time.Since(began))
		if bind != nil {
			if err := bind(ctx, i); err != nil {
				return w, err
			}
		}
		if err := seen.next(ctx); err != nil {
			return w, err
		}
		w.bound = append(w.bound, time.Since(began))
	}
	return w, p.clear(ctx, pods)
}

// cold measures a scheduler that starts on a cluster full of pods, at half of them and at all.
func cold(ctx context.Context, p *plane, s settings) error {
	made := 0
	for _, running := range []int{s.running / 2, s.running} {
		began, from := time.Now(), made
		if err := each(ctx, running-from, loaders, func(ctx context.Context, i int) error {
			return p.makePod(ctx, shape{name: "runs"}, from+i, p.nodes[(from+i)%len(p.nodes)])
		}); err != nil {
			return err
		}
		fmt.Printf("\n%d nodes and %d pods that run (%d made in %v)\n", len(p.nodes), running, running-from,
			time.Since(began).Round(time.Second))
		made = running
		for round := range s.rounds {
			if err := p.coldStart(ctx, running+round); err != nil {
				return err
			}
		}
	}
	return nil
}

// coldStart starts a scheduler and waits until it binds the pod that waits for it, which has a name
// of its own, for the watch may begin a little in the past.
func (p *plane) coldStart(ctx context.Context, pod int) error {
	seen, err := p.observe(ctx)
	if err != nil {
		return err
	}
	if err := p.makePod(ctx, shape{name: "cold"}, pod, ""); err != nil {
		return err
	}
	began := time.Now()
	c, err := p.run(true, "")
	if err != nil {
		return err
	}
	awaited := seen.await(ctx, 1)
	first := time.Since(began)
	u, err := c.end()
	if awaited != nil {
		err = awaited
	}
	if err != nil {
		return err
	}
	fmt.Printf("  a scheduler that starts binds its first pod after %.2f s; resident then %d MiB, at "+
		"most %d MiB; CPU %v\n",
		first.Seconds(), u.resident>>20, u.peak>>20, u.cpu.Round(10*time.Millisecond))
	return p.removePod(ctx, pod)
}
