package loop

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// A controller that makes pods only when the PodGroup shows that it is admitted is not kept waiting; nor is an unknown
// owner.
func TestPodsThatMayWaitForAPhase(t *testing.T) {
	for name, c := range map[string]struct {
		owners []string
		shows  schedulingv1beta1.PodGroupPhase
		want   bool
	}{
		"training-operator":                    {owners: []string{"kubeflow.org/v1"}, want: true},
		"Volcano's job controller":             {owners: []string{"batch.volcano.sh/v1alpha1"}, want: true},
		"Paddle":                               {owners: []string{"batch.paddlepaddle.org/v1"}, shows: "Pending", want: true},
		"an operator of one's own":             {owners: []string{"acme.example/v1"}, want: true},
		"an owner without a version":           {owners: []string{"a/b/c"}, want: true},
		"one of two":                           {owners: []string{"ray.io/v1", "acme.example/v1"}, want: true},
		"not: it shows that it is let in":      {owners: []string{"kubeflow.org/v1"}, shows: "Inqueue"},
		"not: it ran":                          {owners: []string{"kubeflow.org/v1"}, shows: "Running"},
		"not: it has no owner":                 {},
		"not: a Job with its pods":             {owners: []string{"batch/v1"}},
		"not: a Pod, as for a LeaderWorkerSet": {owners: []string{"v1"}},
		"not: a Deployment's ReplicaSet":       {owners: []string{"apps/v1"}},
		"not: KubeRay":                         {owners: []string{"ray.io/v1"}},
		"not: the Spark operator":              {owners: []string{"sparkoperator.k8s.io/v1beta2"}},
		"not: the MPI operator":                {owners: []string{"kubeflow.org/v2beta1"}},
		"not: Kubeflow Trainer":                {owners: []string{"trainer.kubeflow.org/v1alpha1"}},
		"not: a JobSet":                        {owners: []string{"jobset.x-k8s.io/v1alpha2"}},
		"not: a LeaderWorkerSet":               {owners: []string{"leaderworkerset.x-k8s.io/v1"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := &schedulingv1beta1.PodGroup{Status: schedulingv1beta1.PodGroupStatus{Phase: c.shows}}
			for _, version := range c.owners {
				g.OwnerReferences = append(g.OwnerReferences, metav1.OwnerReference{APIVersion: version})
			}
			if got := mayWait(g); got != c.want {
				t.Errorf("may wait: %t, want %t", got, c.want)
			}
		})
	}
}

// A phase that waits for words is not lost with the scheduler: it is written when that ends.
func TestAPhaseThatIsKeptIsWrittenAtTheEnd(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.kubelets = pull
		w.gang("2")
		w.after(5 * time.Second)
		if s := w.status("g"); s.Phase != "" {
			t.Fatalf("it says %q before its pods run, want that it is kept", s.Phase)
		}
		w.end()
		if s := w.status("g"); s.Phase != schedulingv1beta1.PodGroupRunning {
			t.Errorf("the scheduler has ended, and it says %q", s.Phase)
		}
		w.schedule()
	})
}

// That a gang started is said when its pods run, and without if kubelets take their time.
// Events say so at once.
func TestWhenAStartIsSaid(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.kubelets = pull
		w.group("starts", 2, noOwner)
		w.pods("starts", 0, 2, "2")
		w.gang("6")
		w.after(soon)
		w.node("n1", "8")
		w.node("n2", "8")
		w.after(3 * time.Second)
		for _, name := range []string{"starts", "g"} {
			if n := w.events(name, "Scheduled"); n != 1 {
				t.Errorf("%s: %d events of its start, want 1", name, n)
			}
		}
		if s := w.status("g"); s.Conditions[0].Status != "True" {
			t.Errorf("after three seconds it says %+v", s)
		}
		w.after(untilRunning)
		if s := w.status("g"); s.Phase != schedulingv1beta1.PodGroupRunning || s.Conditions[1].Status != "False" {
			t.Errorf("when it has waited, and was bound for ten seconds, it says %+v", s)
		}
		if s := w.status("starts"); s.Phase != schedulingv1beta1.PodGroupRunning || s.Running != 0 {
			t.Errorf("after ten seconds without a pod that runs it says %+v", s)
		}
	})
}

// A phase that turned, and turned back before that was written, is not waited for: it is shown,
// and nothing is written of it.
func TestAPhaseThatTurnsBackIsNotWaitedFor(t *testing.T) {
	for _, gone := range []time.Duration{5 * time.Millisecond, 500 * time.Millisecond, 1500 * time.Millisecond} {
		t.Run(gone.String(), func(t *testing.T) {
			inVirtualTime(t, 1, func(w *living) {
				w.kubelets = time.Millisecond
				w.gang("2")
				w.after(quiet)
				w.delete("g-1")
				w.after(gone)
				w.pods("g", 1, 1, "2")
				w.atRest([]string{"g-0", "g-1"})
			})
		})
	}
}
