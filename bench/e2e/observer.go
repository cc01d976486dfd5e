package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// silence is how long nothing may be bound before a measurement is given up.
const silence = time.Minute

// observer sees pods get their nodes, whoever bound them.
type observer struct {
	watch watch.Interface
	bound map[string]bool
	first time.Time
	last  time.Time
	began map[string]time.Duration // CPU time at the first
	work  work
}

// observe begins to see what is bound from now on.
func (p *plane) observe(ctx context.Context) (*observer, error) {
	pods := p.kube[0].CoreV1().Pods(namespace)
	list, err := pods.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil, err
	}
	w, err := pods.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		return nil, err
	}
	return &observer{watch: w, bound: map[string]bool{}}, nil
}

// await returns when so many pods are bound.
func (o *observer) await(ctx context.Context, pods int) error {
	defer o.watch.Stop()
	for len(o.bound) < pods {
		if err := o.next(ctx); err != nil {
			return fmt.Errorf("%d of %d pods are bound: %w", len(o.bound), pods, err)
		}
	}
	o.work = workOf(o.began, processes(), pods)
	return nil
}

// next waits for the next pod that is bound.
func (o *observer) next(ctx context.Context) error {
	late := time.NewTimer(silence)
	defer late.Stop()
	for {
		select {
		case e, open := <-o.watch.ResultChan():
			if !open {
				return errors.New("the watch ended")
			}
			pod, ok := e.Object.(*corev1.Pod)
			if !ok || pod.Spec.NodeName == "" || o.bound[pod.Name] || e.Type == watch.Deleted {
				continue
			}
			o.bound[pod.Name] = true
			o.last = time.Now()
			if o.first.IsZero() {
				o.first, o.began = o.last, processes()
			}
			return nil
		case <-late.C:
			return fmt.Errorf("nothing was bound for %v", silence)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// rate is pods a second from the first to the last.
func (o *observer) rate() float64 { return float64(len(o.bound)-1) / o.last.Sub(o.first).Seconds() }

// writes is how many requests that write the API server has answered, by what they were about.
type writes map[string]float64

// written asks the API server for its own count.
func (p *plane) written(ctx context.Context) (writes, error) {
	text, err := p.kube[0].CoreV1().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return nil, err
	}
	out := writes{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "apiserver_request_total{") {
			continue
		}
		labels, value, _ := strings.Cut(strings.TrimSpace(line), "} ")
		verb := label(labels, "verb")
		if verb != "POST" && verb != "PUT" && verb != "PATCH" && verb != "APPLY" {
			continue // what is deleted is the load's
		}
		what := label(labels, "resource")
		if sub := label(labels, "subresource"); sub != "" {
			what += "/" + sub
		} else if verb == "POST" && (what == "pods" || what == "podgroups") {
			continue // the load
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("the API server's metrics: %q: %w", line, err)
		}
		out[what] += n
	}
	return out, nil
}

func label(labels, name string) string {
	_, rest, _ := strings.Cut(labels, name+`="`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

func (w writes) since(before writes) writes {
	out := writes{}
	for what, n := range w {
		if d := n - before[what]; d > 0 {
			out[what] = d
		}
	}
	return out
}
