package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// worthMore makes a one-pod job that is worth more than the victims.
func (w evicting) worthMore(name string) {
	w.t.Helper()
	w.try("make PodGroup "+name, func(ctx context.Context) error {
		group := object("PodGroup", name, map[string]any{"minMember": int64(1), "queue": w.ns, "priorityClassName": "urgent"})
		_, err := w.dynamic.Resource(podGroupResource).Namespace(w.ns).Create(ctx, group, metav1.CreateOptions{})
		return err
	})
	p := member(w.ns, name, 0, "1")
	p.Spec.SchedulerName, p.Spec.PriorityClassName = w.ns, "urgent"
	w.try("make pod "+p.Name, func(ctx context.Context) error {
		_, err := w.kube.CoreV1().Pods(w.ns).Create(ctx, p, metav1.CreateOptions{})
		return err
	})
}

// A scheduler that ends and starts again and again evicts no more than a cap permits within a minute: what
// the one before evicted is not known to it, and so nothing that is capped is evicted in its first minute.
func TestFaultsRestartsEvictNoMoreThanACapPermits(t *testing.T) {
	plane, _ := privateWorld(t)
	w := evictingWorld(t, plane, "capped", "preempt")
	text, err := os.ReadFile(w.conf)
	if err != nil {
		t.Fatal(err)
	}
	capped := strings.Replace(string(text), "  - name: conformance\n",
		"  - name: conformance\n  - name: evictioncap\n    arguments:\n      max-per-minute: 1\n", 1)
	if err := os.WriteFile(w.conf, []byte(capped), 0o600); err != nil {
		t.Fatal(err)
	}
	stop := w.run()
	w.full()
	stop()
	began := time.Now()
	for i := range 3 {
		stop := w.run()
		name := fmt.Sprint("urgent-", i)
		w.worthMore(name)
		w.await("have "+name+" told why nobody leaves, or have room made for it", func(ctx context.Context) error {
			p, err := w.kube.CoreV1().Pods(w.ns).Get(ctx, name+"-0", metav1.GetOptions{})
			if err != nil {
				return err
			}
			if p.Status.NominatedNodeName != "" {
				return nil
			}
			for _, c := range p.Status.Conditions {
				if c.Type == corev1.PodScheduled && strings.Contains(c.Message, "plugin evictioncap") {
					return nil
				}
			}
			return fmt.Errorf("its conditions are %+v", p.Status.Conditions)
		})
		stop()
	}
	took := time.Since(began)
	if n, most := len(w.leaving()), 1+int(took/time.Minute); n > most {
		t.Errorf("%d pods were evicted within %v, want at most %d: one a minute", n, took, most)
	}
}
