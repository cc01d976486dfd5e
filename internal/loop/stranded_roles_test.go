package loop

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// trains makes a gang that needs a parameter server and two workers, which has three. They are labelled as sub-groups,
// too: parts says by what the gang asks for them.
func (w *living) trains(parts string) {
	spec := schedulingv1beta1.PodGroupSpec{MinMember: 3, Queue: "default"}
	if parts == "roles" {
		spec.MinTaskMember = map[string]int32{"ps": 1, "worker": 2}
	} else {
		for i, role := range []string{"ps", "worker"} {
			size, one := int32(1+i), int32(1)
			spec.SubGroupPolicy = append(spec.SubGroupPolicy, schedulingv1beta1.SubGroupPolicySpec{Name: role,
				SubGroupSize: &size, MinSubGroups: &one,
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"role": role}}})
		}
	}
	w.clusterOf("ray")
	w.must(w.groups.Create(groupsKind, &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns",
		Name: "g", UID: "g"}, Spec: spec}, "ns"))
	w.trainers()
}

// trainers makes those of its pods that are not there.
func (w *living) trainers() {
	for _, name := range []string{"ps-0", "w-0", "w-1", "w-2"} {
		if !w.there(name) {
			role := "worker"
			if name == "ps-0" {
				role = "ps"
			}
			w.owned(name, "g", "ray", "1", func(p *corev1.Pod) {
				p.Annotations["volcano.sh/task-spec"] = role
				p.Labels = map[string]string{"role": role}
			})
		}
	}
}

// trained lets time pass in which the controller makes pods anew.
func (w *living) trained(d time.Duration) {
	for range d / time.Second {
		w.after(time.Second)
		w.trainers()
	}
}

// A gang of which one role, or one sub-group, is refused for good has not started, however many others are bound: it
// gives its room back, is not told to be ready, and starts once the API server lets it.
func TestAGangThatLacksARoleIsReleased(t *testing.T) {
	for _, parts := range []string{"roles", "sub-groups"} {
		t.Run(parts, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *living) {
				w.refuse("ps-0")
				w.trains(parts)
				w.after(10 * time.Second)
				if w.bound("g") == 0 {
					t.Fatal("no member is bound beside the one that is refused")
				}
				w.trained(20 * time.Minute)
				if w.bound("g") != 0 || w.deletions() != 3 || w.events("g", "GangStranded") == 0 {
					t.Errorf("%d members hold room, %d were deleted, %d events tell of it; want none, 3 and at least one",
						w.bound("g"), w.deletions(), w.events("g", "GangStranded"))
				}
				for _, m := range w.messages("g") {
					if strings.Contains(m, "ready") || strings.Contains(m, "3 of the 3") {
						t.Errorf("an event says %q", m)
					}
				}
				w.refuse("")
				w.trained(30 * time.Minute)
				if w.bound("g") != 4 || w.deletions() != 3 || w.events("g", "Scheduled") != 1 {
					t.Errorf("once it may be, %d members are bound, %d deleted, and %d events say that it is ready; want 4, 3, 1",
						w.bound("g"), w.deletions(), w.events("g", "Scheduled"))
				}
			})
		})
	}
}

// A gang of roles or sub-groups that had its minimum keeps its members, also if it lost one of them at once.
func TestAGangThatHadItsRolesIsNotReleased(t *testing.T) {
	for _, parts := range []string{"roles", "sub-groups"} {
		for _, after := range []time.Duration{20 * time.Millisecond, 300 * time.Millisecond, 10 * time.Second} {
			t.Run(fmt.Sprint(parts, " for ", after), func(t *testing.T) {
				inVirtualTime(t, 1, func(w *living) {
					w.trains(parts)
					w.after(after)
					if w.bound("g") < 3 {
						t.Fatalf("%d members are bound", w.bound("g"))
					}
					w.refuse("ps-0")
					w.delete("ps-0")
					w.after(50 * time.Millisecond)
					was := w.deletions()
					w.trained(20 * time.Minute)
					if w.bound("g") != 3 || w.deletions() != was {
						t.Errorf("%d members are bound and %d were deleted, want all three workers and none", w.bound("g"),
							w.deletions()-was)
					}
				})
			})
		}
	}
}
