package e2e

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A gang lacks nothing but devices of claims. Its start is planned by the end of the pod that has them, and told; a job
// that has ended by then may have the device that is free, one that might run on may not; and the gang starts when it
// was told, with devices for each of its pods.
func TestLiveAPlannedStartByDevices(t *testing.T) {
	ns, limit := plansStarts(t)
	cards(t, ns, ns, 4)
	claims := shared.kube.ResourceV1().ResourceClaimTemplates(ns)
	for name, n := range map[string]int64{"one": 1, "two": 2, "three": 3} {
		if _, err := claims.Create(t.Context(), &resourcev1.ResourceClaimTemplate{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: resourcev1.ResourceClaimTemplateSpec{Spec: asksFor(ns, n)}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	with := func(p *corev1.Pod, template string) *corev1.Pod {
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "cards", ResourceClaimTemplateName: &template}}
		p.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "cards"}}
		return p
	}
	ends := busyUntil(t, with(timed(ns, "busy", "100m", limit, ""), "three"))
	for _, name := range []string{"train-0", "train-1"} {
		create(t, with(inGroup(timed(ns, name, "100m", 600, "4s"), "train"), "two"))
	}
	eventually(t, "the claims of its pods to be made", func(ctx context.Context) (bool, error) {
		all, err := shared.kube.ResourceV1().ResourceClaims(ns).List(ctx, metav1.ListOptions{})
		return err == nil && len(all.Items) == 3, err
	}, func() string { return "not all are" })
	trainWaits(t, ns)
	told := toldStart(t, ns, ends)
	eventually(t, "the second to be over in which train came: jobs of one second have no order in time",
		func(context.Context) (bool, error) {
			return time.Since(group(t, ns, "train").CreationTimestamp.Time) > time.Second, nil
		}, func() string { return "" })
	// Jobs that are made in the same second go by their names: all of these come after train.
	create(t, with(timed(ns, "unlimited", "100m", 0, "5s"), "one"))
	create(t, with(timed(ns, "very-short", "100m", 3, "1s"), "one"))
	create(t, timed(ns, "plain", "100m", 0, ""))
	awaitPhase(t, ns, "very-short", corev1.PodSucceeded)
	awaitPhase(t, ns, "plain", corev1.PodRunning)
	if train := list(t, ns, "train-"); bound(train) != 0 || get(t, ns, "unlimited").Spec.NodeName != "" {
		t.Fatalf("%d pods of train and %q are bound although the job before them has its devices", bound(train),
			get(t, ns, "unlimited").Spec.NodeName)
	}
	endsAtLimit(t, ns, ends)
	first := awaitPhase(t, ns, "train-0", corev1.PodSucceeded).Status.StartTime.Time
	if first.Before(told.Earliest.Add(-time.Second)) || first.After(told.Latest.Add(4*time.Second)) {
		t.Errorf("it started at %s, was told %s to %s", first, told.Earliest, told.Latest)
	}
	for _, name := range []string{"train-0", "train-1"} {
		if got := devicesOf(deviceClaims(t, ns, name)[name]); got != nil && len(got) != 2 {
			t.Errorf("%s has %v, want two devices", name, got)
		}
	}
	if last := awaitPhase(t, ns, "unlimited", corev1.PodSucceeded).Status.StartTime.Time; last.Before(first) {
		t.Errorf("the job that might run on started at %s, before the one that it came after (%s)", last, first)
	}
}
