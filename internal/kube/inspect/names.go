package inspect

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// most bounds the names that are read for a completion.
const most = 500

// Names are the first names of a kind: job (PodGroups and the Jobs of Volcano that they were made for), pod, queue or
// node; jobs and pods those of a namespace. None where they cannot be read.
func Names(ctx context.Context, c Clients, kind, namespace string) (out []string) {
	kinds := map[string]string{"job": "podgroups.scheduling.volcano.sh", "pod": "pods",
		"queue": "queues.scheduling.volcano.sh", "node": "nodes"}
	for _, wave := range c.waves() {
		for _, k := range wave {
			if k.name != kinds[kind] {
				continue
			}
			list, err := k.list(ctx, namespace, metav1.ListOptions{Limit: most})
			if err != nil {
				return nil
			}
			_ = meta.EachListItem(list, func(item runtime.Object) error {
				o, is := item.(metav1.Object)
				if !is {
					return nil
				}
				name := o.GetName()
				if owner := metav1.GetControllerOfNoCopy(o); kind == "job" && owner != nil {
					name = owner.Name
				}
				out = append(out, name)
				return nil
			})
		}
	}
	return out
}

// retry is how long it takes until a watch that ended is begun again.
const retry = 2 * time.Second

// Changes receives a value when pods, PodGroups, queues or nodes have changed, of those that may be watched, until ctx
// ends. What changed is not told, and changes in a row may be one value.
func Changes(ctx context.Context, c Clients, namespace string) <-chan struct{} {
	out := make(chan struct{}, 1)
	tell := func() {
		select {
		case out <- struct{}{}:
		default:
		}
	}
	begin := []func(string) (watch.Interface, error){
		func(ns string) (watch.Interface, error) {
			return c.Kube.CoreV1().Pods(ns).Watch(ctx, metav1.ListOptions{})
		},
		func(ns string) (watch.Interface, error) {
			return c.Volcano.SchedulingV1beta1().PodGroups(ns).Watch(ctx, metav1.ListOptions{})
		},
		func(string) (watch.Interface, error) {
			return c.Volcano.SchedulingV1beta1().Queues().Watch(ctx, metav1.ListOptions{})
		},
		func(string) (watch.Interface, error) { return c.Kube.CoreV1().Nodes().Watch(ctx, metav1.ListOptions{}) },
	}
	for _, b := range begin {
		go func() {
			for ctx.Err() == nil {
				w, err := b("")
				if err != nil {
					w, err = b(namespace)
				}
				if err == nil {
					for range w.ResultChan() {
						tell()
					}
					tell() // what came while it is begun again is not seen
				}
				select {
				case <-ctx.Done():
				case <-time.After(retry):
				}
			}
		}()
	}
	return out
}
