package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var shapes = []shape{
	{"gangs of 50", 50},
	{"one-pod jobs without a PodGroup", 0},
	{"one-pod jobs with a PodGroup each", 1},
}

// rates measures pods that were made beforehand: from the first that is bound to the last.
func rates(ctx context.Context, p *plane, s settings) error {
	atOnce, err := p.best(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("\n%d nodes, %d pods made beforehand, %d rounds; the plain client is best with %d requests at once\n",
		len(p.nodes), s.pods, s.rounds, atOnce)
	for _, events := range s.events {
		for _, shape := range shapes {
			if !strings.Contains(shape.name, s.shape) {
				continue
			}
			if err := p.compare(ctx, shape, s, atOnce, events == "yes"); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare has the plain client and the scheduler take turns, in every other pair of rounds the
// scheduler first: what one leaves for the server to do falls on both alike.
func (p *plane) compare(ctx context.Context, shape shape, s settings, atOnce int, events bool) error {
	var plain, ours side
	var wrote writes
	for round := range s.rounds {
		one := func() error {
			seen, err := p.roundOfPlain(ctx, shape, s.pods, atOnce, events)
			return plain.add(seen, err)
		}
		other := func() (err error) {
			var seen *observer
			name := fmt.Sprintf("%d-%s-%v-%d", len(p.nodes), shape.name, events, round)
			seen, wrote, err = p.roundOfOurs(ctx, shape, s, events, name)
			return ours.add(seen, err)
		}
		if round%2 == 1 {
			one, other = other, one
		}
		if err := errors.Join(one(), other()); err != nil {
			return err
		}
	}
	fmt.Printf("  %s, %s\n    pods/s: plain %s, ashlar %s, ratio %s, of all rounds together %.2f\n", shape.name,
		withEvents(events),
		spread(plain.rate), spread(ours.rate), ratios(ours.rate, plain.rate), plain.seconds/ours.seconds)
	fmt.Printf("    µs of CPU a pod: plain %s\n                     ashlar %s\n", plain.shares(), ours.shares())
	fmt.Printf("    writes a pod: %s\n", perPod(wrote, s.pods))
	return nil
}

// side is what one of the two took, round by round.
type side struct {
	rate    []float64 // pods a second
	work    []work
	seconds float64 // that all rounds took
}

func (s *side) add(seen *observer, err error) error {
	if err != nil {
		return err
	}
	s.rate, s.work = append(s.rate, seen.rate()), append(s.work, seen.work)
	s.seconds += seen.last.Sub(seen.first).Seconds()
	return nil
}

// shares are the medians by program, the whole first.
func (s *side) shares() string {
	all, of := []float64{}, map[string][]float64{}
	for _, w := range s.work {
		sum := 0.0
		for program, took := range w {
			sum += took
			of[program] = append(of[program], took)
		}
		all = append(all, sum)
	}
	out := spread(all)
	for _, program := range slices.Sorted(maps.Keys(of)) {
		out += fmt.Sprintf(", %s %.0f", program, median(of[program]))
	}
	return out
}

func withEvents(yes bool) string {
	if yes {
		return "with events"
	}
	return "without events"
}

func perPod(w writes, pods int) (out string) {
	for _, what := range []string{"pods/binding", "pods/status", "podgroups", "queues/status", "events"} {
		out += fmt.Sprintf("%s %.3f  ", what, w[what]/float64(pods))
	}
	return out
}

// best is with how many requests at once the plain client is fastest.
func (p *plane) best(ctx context.Context) (int, error) {
	const pods = 1000
	most, best := 0.0, 0
	for _, atOnce := range []int{16, 16, 32, 64} { // the first warms the server up
		seen, err := p.roundOfPlain(ctx, shape{}, pods, atOnce, false)
		if err != nil {
			return 0, err
		}
		if rate := seen.rate(); rate > most {
			most, best = rate, atOnce
		}
	}
	return best, nil
}

// roundOfPlain binds the pods by a plan: the ith to the ith node, and so around.
func (p *plane) roundOfPlain(ctx context.Context, s shape, pods, atOnce int, events bool) (*observer, error) {
	if err := p.load(ctx, s, pods); err != nil {
		return nil, err
	}
	seen, err := p.observe(ctx)
	if err != nil {
		return nil, err
	}
	failed := make(chan error, 1)
	go func() {
		failed <- each(ctx, pods, atOnce, func(ctx context.Context, i int) error { return p.bindPlainly(ctx, i, events) })
	}()
	if err := seen.await(ctx, pods); err != nil {
		return nil, err
	}
	if err := <-failed; err != nil {
		return nil, err
	}
	return seen, p.clear(ctx, pods)
}

func (p *plane) load(ctx context.Context, s shape, pods int) error {
	if err := p.makeGroups(ctx, s, pods); err != nil {
		return err
	}
	return p.makePods(ctx, s, pods)
}

func (p *plane) bindPlainly(ctx context.Context, i int, events bool) error {
	err := p.client(i).CoreV1().Pods(namespace).Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: podName(i)},
		Target:     corev1.ObjectReference{Kind: "Node", Name: p.nodes[i%len(p.nodes)]},
	}, metav1.CreateOptions{})
	if err != nil || !events {
		return err
	}
	now := metav1.Now()
	_, err = p.client(i).CoreV1().Events(namespace).Create(ctx, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("%s.%x", podName(i), now.UnixNano())},
		InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: namespace, Name: podName(i)},
		Type:           corev1.EventTypeNormal, Reason: "Scheduled", Message: "Successfully assigned a pod",
		Source: corev1.EventSource{Component: "plain"}, FirstTimestamp: now, LastTimestamp: now, Count: 1,
	}, metav1.CreateOptions{})
	return err
}

// roundOfOurs has a scheduler bind them that starts when they are there.
func (p *plane) roundOfOurs(ctx context.Context, s shape, set settings, events bool, name string) (*observer, writes,
	error) {
	if err := p.load(ctx, s, set.pods); err != nil {
		return nil, nil, err
	}
	before, err := p.written(ctx)
	if err != nil {
		return nil, nil, err
	}
	seen, err := p.observe(ctx)
	if err != nil {
		return nil, nil, err
	}
	address := ""
	if set.profile != "" {
		address = "127.0.0.1:18080"
	}
	c, err := p.run(events, address)
	if err != nil {
		return nil, nil, err
	}
	if address != "" {
		go profiled(address, filepath.Join(set.profile, name+".pprof"))
	}
	awaited := seen.await(ctx, set.pods)
	_, err = c.end() // words that wait are said or dropped
	if awaited != nil {
		err = awaited
	}
	if err != nil {
		return nil, nil, err
	}
	after, err := p.written(ctx)
	if err != nil {
		return nil, nil, err
	}
	return seen, after.since(before), p.clear(ctx, set.pods)
}

// profiled takes a profile of what the scheduler does in the next seconds; without one the round
// counts all the same.
func profiled(address, path string) {
	for range 50 {
		response, err := http.Get("http://" + address + "/debug/pprof/profile?seconds=3")
		if err != nil {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		defer response.Body.Close()
		if data, err := io.ReadAll(response.Body); err == nil {
			_ = os.WriteFile(path, data, 0o600)
		}
		return
	}
}
