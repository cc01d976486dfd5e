package e2e

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"ashlar.sh/internal/kube/carry"
)

func TestZZMeasure(t *testing.T) {
	c, err := carry.NewClients(copyConfig())
	if err != nil {
		t.Fatal(err)
	}
	const n, gangs = 3000, 30
	par := func(k int, f func(i int)) {
		var wg sync.WaitGroup
		ch := make(chan int)
		for range 32 {
			wg.Add(1)
			go func() { defer wg.Done(); for i := range ch { f(i) } }()
		}
		for i := range k { ch <- i }
		close(ch); wg.Wait()
	}
	room := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("64Gi"), corev1.ResourcePods: resource.MustParse("110")}
	par(100, func(i int) {
		_, err := c.Fast[0].CoreV1().Nodes().Create(context.Background(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("m-%d", i)}, Status: corev1.NodeStatus{Capacity: room, Allocatable: room}}, metav1.CreateOptions{})
		if err != nil { t.Error(err) }
	})
	mk := func(ns string) {
		for g := range gangs {
			group := object("PodGroup", fmt.Sprintf("g%d", g), map[string]any{"minMember": int64(n / gangs), "queue": "default"})
			if _, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Create(t.Context(), group, metav1.CreateOptions{}); err != nil { t.Fatal(err) }
		}
		par(n, func(i int) {
			p := member(ns, fmt.Sprintf("g%d", i%gangs), i, "1")
			p.Spec.SchedulerName = ns
			if _, err := c.Fast[i%4].CoreV1().Pods(ns).Create(context.Background(), p, metav1.CreateOptions{}); err != nil { t.Error(err) }
		})
	}
	wait := func(ns string) (first, last time.Time) {
		for {
			got := 0
			for _, p := range list(t, ns, "g") {
				if p.Spec.NodeName != "" { got++ }
			}
			if got > 0 && first.IsZero() { first = time.Now() }
			if got == n { return first, time.Now() }
			time.Sleep(100 * time.Millisecond)
		}
	}
	ns1 := namespace(t)
	mk(ns1)
	pods := list(t, ns1, "g")
	time.Sleep(2 * time.Second)
	began := time.Now()
	par(n, func(i int) {
		p := pods[i]
		err := c.Fast[i%4].CoreV1().Pods(ns1).Bind(context.Background(), &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: p.Name, UID: p.UID}, Target: corev1.ObjectReference{Kind: "Node", Name: fmt.Sprintf("m-%d", i%100)}}, metav1.CreateOptions{})
		if err != nil { t.Error(err) }
	})
	plain := time.Since(began)
	t.Logf("plain: %v, %.0f pods/s", plain, n/plain.Seconds())
	clean(t, c.Fast[0], ns1)
	ns2 := namespace(t)
	mk(ns2)
	time.Sleep(2 * time.Second)
	var w wire
	var firstBind time.Time
	var mu sync.Mutex
	_ = mu
	began = time.Now()
	live(t, ns2, w.on)
	first, last := wait(ns2)
	_ = firstBind
	t.Logf("live: all %v after start, first seen after %v; %.0f pods/s from first sight; %.0f from start; writes %d", last.Sub(began), first.Sub(began), n/last.Sub(first).Seconds(), n/last.Sub(began).Seconds(), len(w.written()))
}

func clean(t *testing.T, k kubernetes.Interface, ns string) {
	zero := int64(0)
	_ = k.CoreV1().Pods(ns).DeleteCollection(context.Background(), metav1.DeleteOptions{GracePeriodSeconds: &zero}, metav1.ListOptions{})
	for len(list(t, ns, "g")) > 0 { time.Sleep(200 * time.Millisecond) }
}
