package loop

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	k8stesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/persisted"
)

// keeps fails a test in which a pod was deleted by the scheduler, or one of those named is gone.
func (w *living) keeps(pods ...string) {
	w.Helper()
	if n := w.deletions(); n != 0 {
		w.Errorf("the scheduler deleted %d pods, want none", n)
	}
	for _, name := range pods {
		if !w.there(name) {
			w.Errorf("%s is gone", name)
		}
	}
}

// A gang that runs with a member missing, as Volcano or an earlier version left it, keeps its
// members whatever its PodGroup says, and though the missing one is refused for good.
func TestATakeOverTakesNoGangApart(t *testing.T) {
	scheduled := func(id string) schedulingv1beta1.PodGroupCondition {
		return schedulingv1beta1.PodGroupCondition{Type: schedulingv1beta1.PodGroupScheduled,
			Status: corev1.ConditionTrue, TransitionID: id,
			Reason: "tasks in gang are ready to be scheduled"}
	}
	unschedulable := schedulingv1beta1.PodGroupCondition{Type: schedulingv1beta1.PodGroupUnschedulableType,
		Status: corev1.ConditionTrue, TransitionID: "x"}
	for name, shows := range map[string]schedulingv1beta1.PodGroupStatus{
		"Volcano: it runs": {Phase: "Running", Running: 4,
			Conditions: []schedulingv1beta1.PodGroupCondition{scheduled("11111111-2222")}},
		"Volcano: it has lost a member": {Phase: "Unknown", Running: 3,
			Conditions: []schedulingv1beta1.PodGroupCondition{scheduled("11111111-2222"), unschedulable}},
		"an earlier version: it waits": {Phase: "Inqueue",
			Conditions: []schedulingv1beta1.PodGroupCondition{scheduled("")}},
		"somebody wiped its conditions": {Phase: "Inqueue"},
		"somebody wiped its status":     {},
		"somebody says that it never started": {Phase: "Pending",
			Conditions: []schedulingv1beta1.PodGroupCondition{unschedulable}},
		"an unknown phase": {Phase: "Suspended"},
	} {
		for _, missing := range []string{"has no room", "is refused for good"} {
			t.Run(name+", the missing one "+missing, func(t *testing.T) {
				inVirtualTime(t, 1, func(w *living) {
					w.end()
					w.clusterOf("ray")
					g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "g", UID: "g"},
						Spec: schedulingv1beta1.PodGroupSpec{MinMember: 4, Queue: "default"}, Status: shows}
					w.must(w.groups.Create(groupsKind, g, "ns"))
					for i := range 3 {
						w.runs(fmt.Sprint("g-", i), "g", "ray", "2", "n0")
					}
					size := "4" // of two that are left
					if missing == "is refused for good" {
						w.refuse("g-3")
						size = "1"
					}
					w.owned("g-3", "g", "ray", size)
					w.schedule()
					for range 3 {
						w.after(5 * time.Minute)
						w.restart()
					}
					w.keeps("g-0", "g-1", "g-2", "g-3")
				})
			})
		}
	}
}

// A PodGroup that is deleted and made anew, its annotations and all, is another: its members
// stay, those of a gang that ran and those of one that the scheduler knew to be half.
func TestAPodGroupMadeAnewKeepsItsMembers(t *testing.T) {
	for name, refused := range map[string]string{"it ran": "", "it stood half": "g-3"} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *living) {
				w.refuse(refused)
				w.gangOf4()
				w.after(30 * time.Second)
				if refused == "" {
					w.delete("g-3")
					w.owned("g-3", "g", "ray", "6")
				}
				g := w.shown("g")
				w.must(w.groups.Delete(groupsKind, "ns", "g"))
				w.after(time.Second)
				g.UID, g.ResourceVersion, g.Status = "second", "", schedulingv1beta1.PodGroupStatus{}
				w.must(w.groups.Create(groupsKind, g, "ns"))
				w.after(10 * time.Minute)
				w.restart()
				w.after(10 * time.Minute)
				w.keeps("g-0", "g-1", "g-2")
			})
		})
	}
}

// halfway lives until the gang stands half, with a record that says so, before it is released.
func (w *living) halfway() {
	w.Helper()
	w.refuse("g-3")
	w.gangOf4()
	w.after(30 * time.Second)
	if r, ok := w.record("g"); !ok || r.Never == nil || w.bound("g") != 3 {
		w.Fatalf("after half a minute %d are bound and the record is %+v (%t)", w.bound("g"), r, ok)
	}
	if phase := w.status("g").Phase; phase != schedulingv1beta1.PodGroupUnknown {
		w.Errorf("its phase is %s, want Unknown, which a gang has that runs in part", phase)
	}
	if w.events("g", "GangStranded") != 1 || !strings.Contains(w.waitsFor("g"), "3 of the 4 members") {
		w.Errorf("%d events GangStranded and the condition %q, want one and that it says so",
			w.events("g", "GangStranded"), w.waitsFor("g"))
	}
}

// What a record says outlives the scheduler: the next one releases the gang, a minute after
// it has told of it, and no sooner.
func TestAHalfGangIsReleasedByTheNextScheduler(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.halfway()
		w.restart()
		w.after(55 * time.Second)
		w.keeps("g-0", "g-1", "g-2", "g-3")
		w.after(time.Minute)
		if w.deletions() != 3 || w.there("g-0") || !w.there("g-3") {
			t.Errorf("two minutes after the restart %d pods were deleted, want the three that were bound", w.deletions())
		}
		if w.events("g", "GangStranded") != 2 || w.events("g", "GangReleased") != 1 {
			t.Errorf("%d events told of it before and %d after, want one by each scheduler, and one",
				w.events("g", "GangStranded"), w.events("g", "GangReleased"))
		}
	})
}

// Whatever is in doubt when a scheduler starts keeps a gang that stands half.
func TestARecordInDoubtReleasesNobody(t *testing.T) {
	change := func(how func(r *persisted.RefusedBinds)) func(w *living) {
		return func(w *living) {
			r, _ := w.record("g")
			how(&r)
			w.regroup("g", func(g *schedulingv1beta1.PodGroup) { g.Annotations[persisted.RefusedBindsKey] = r.Text() })
		}
	}
	shows := func(how func(*schedulingv1beta1.PodGroup)) func(w *living) {
		return func(w *living) { w.regroup("g", how) }
	}
	for name, meanwhile := range map[string]func(w *living){
		"there is none": shows(func(g *schedulingv1beta1.PodGroup) { delete(g.Annotations, persisted.RefusedBindsKey) }),
		"it is garbage": shows(func(g *schedulingv1beta1.PodGroup) {
			g.Annotations[persisted.RefusedBindsKey] = "neverComplete"
		}),
		"it claims nothing":           change(func(r *persisted.RefusedBinds) { r.Never = nil }),
		"it is of another life":       change(func(r *persisted.RefusedBinds) { r.UID = "another" }),
		"it is about another minimum": change(func(r *persisted.RefusedBinds) { r.Never.MinMember = 5 }),
		"it is about other pods": change(func(r *persisted.RefusedBinds) {
			r.Never.Bound = persisted.Digest([]string{"a", "b", "c"})
		}),
		"the minimum is another": shows(func(g *schedulingv1beta1.PodGroup) { g.Spec.MinMember = 5 }),
		"somebody saw it run": shows(func(g *schedulingv1beta1.PodGroup) {
			g.Status.Phase = schedulingv1beta1.PodGroupRunning
		}),
		"another saw it lose a member": change(func(r *persisted.RefusedBinds) {
			r.Never.Unknown = false // and wrote Unknown
		}),
		"somebody saw it ready": shows(func(g *schedulingv1beta1.PodGroup) {
			g.Status.Conditions = append(g.Status.Conditions,
				schedulingv1beta1.PodGroupCondition{Type: schedulingv1beta1.PodGroupScheduled, Status: corev1.ConditionTrue})
		}),
		"the one that waited was made anew": func(w *living) {
			w.delete("g-3")
			w.owned("g-3", "g", "ray", "1")
		},
		"one that was bound was made anew": func(w *living) {
			w.delete("g-0")
			w.runs("g-0", "g", "ray", "1", "n0")
		},
		"the pod's status shows no refusal": func(w *living) {
			w.change("g-3", func(p *corev1.Pod) {
				for i := range p.Status.Conditions {
					p.Status.Conditions[i].Reason = corev1.PodReasonUnschedulable
				}
			})
		},
		"it names another pod":     change(func(r *persisted.RefusedBinds) { r.Pod = "g-0" }),
		"one more member has come": func(w *living) { w.owned("g-4", "g", "ray", "1") },
		"another scheduler completed it, and it lost one": func(w *living) {
			w.change("g-3", func(p *corev1.Pod) { p.Spec.NodeName, p.Status.Phase = "n0", corev1.PodRunning })
			w.delete("g-3")
			w.owned("g-3", "g", "ray", "1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *living) {
				w.halfway()
				w.end()
				meanwhile(w)
				w.schedule()
				w.after(15 * time.Minute)
				w.restart()
				w.after(15 * time.Minute)
				w.keeps("g-0", "g-1", "g-2", "g-3")
			})
		})
	}
}

// Doubt that comes after the gang was told of keeps its members too.
func TestDoubtThatComesBeforeTheEndKeepsAGang(t *testing.T) {
	for name, meanwhile := range map[string]func(w *living){
		"somebody saw it run": func(w *living) {
			w.regroup("g", func(g *schedulingv1beta1.PodGroup) { g.Status.Phase = schedulingv1beta1.PodGroupRunning })
			w.after(time.Second)
			w.regroup("g", func(g *schedulingv1beta1.PodGroup) { g.Status.Phase = schedulingv1beta1.PodGroupInqueue })
		},
		"the minimum was less for a moment": func(w *living) {
			w.regroup("g", func(g *schedulingv1beta1.PodGroup) { g.Spec.MinMember = 3 })
			w.after(time.Second)
			w.regroup("g", func(g *schedulingv1beta1.PodGroup) { g.Spec.MinMember = 4 })
		},
		"another scheduler bound one": func(w *living) {
			w.runs("g-4", "g", "ray", "1", "n0")
			w.after(time.Second)
			w.delete("g-4")
		},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *living) {
				w.halfway()
				meanwhile(w)
				w.after(15 * time.Minute)
				w.keeps("g-0", "g-1", "g-2", "g-3")
			})
		})
	}
}

// Before a member is bound that completes the gang, it is no longer recorded that it never
// had its minimum: whenever a scheduler ends, no record says so of a gang that has it.
func TestTheClaimIsTakenBackBeforeTheGangIsCompleted(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.halfway()
		var claimed atomic.Bool
		w.answers(&w.kube.Fake, "create", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
			if r, ok := w.record("g"); a.GetSubresource() == "binding" && ok && r.Never != nil {
				claimed.Store(true)
			}
			return false, nil, nil
		})
		w.refuse("")
		w.after(30 * time.Second)
		if claimed.Load() {
			t.Error("a member was bound while the record said that the gang never had its minimum")
		}
		if _, kept := w.record("g"); kept || w.bound("g") != 4 {
			t.Errorf("%d members are bound, and there is a record: %t, want 4 and none", w.bound("g"), kept)
		}
		w.keeps("g-0", "g-1", "g-2", "g-3")
	})
}

// A claim that cannot be taken back keeps the gang from being completed, and is tried again.
func TestAClaimThatCannotBeTakenBackKeepsMembersFromBeingBound(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.halfway()
		var deaf atomic.Bool
		deaf.Store(true)
		w.answers(&w.volcano.Fake, "patch", "podgroups", func(k8stesting.Action) (bool, runtime.Object, error) {
			if deaf.Load() {
				return true, nil, forbidden("g")
			}
			return false, nil, nil
		})
		w.refuse("")
		before := w.bindings()
		w.after(50 * time.Second) // one try falls into it
		if n := w.bindings() - before; n != 0 {
			t.Errorf("%d bindings were asked for while the claim stood, want none", n)
		}
		deaf.Store(false)
		w.after(2 * time.Minute)
		if n := w.bound("g"); n != 4 {
			t.Errorf("%d members are bound once the claim is gone, want 4", n)
		}
		w.keeps("g-0", "g-1", "g-2", "g-3")
	})
}

// Guards are asked before a gang gives its room back, and pods without a controller stay.
func TestPodsThatStayWhenAGangGivesItsRoomBack(t *testing.T) {
	label := func(name string, how func(p *corev1.Pod)) func(w *living) {
		return func(w *living) { w.change(name, how) }
	}
	for name, c := range map[string]struct {
		before func(w *living)
		stays  []string
		says   string
	}{
		"no pod": {func(*living) {}, nil, ""},
		"one that is not to be preempted": {label("g-1", func(p *corev1.Pod) {
			p.Annotations["volcano.sh/preemptable"] = "false"
		}), []string{"g-1"}, "preemptable"},
		"all of a gang that is not to be preempted": {func(w *living) {
			w.regroup("g", func(g *schedulingv1beta1.PodGroup) {
				g.Labels = map[string]string{"volcano.sh/preemptable": "false"}
			})
		}, []string{"g-0", "g-1", "g-2"}, "PodGroup is marked"},
		"a bare one": {label("g-2", func(p *corev1.Pod) { p.OwnerReferences = nil }), []string{"g-2"}, "no controller"},
		"those of a controller that is gone": {func(w *living) {
			w.must(w.owners.Tracker().Delete(rayKind, "ns", "ray"))
		}, []string{"g-0", "g-1", "g-2"}, "RayCluster ray is gone"},
		"those of a controller with the name of another": {func(w *living) {
			w.must(w.owners.Tracker().Delete(rayKind, "ns", "ray"))
			w.must(w.owners.Tracker().
				Add(&metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "ray.io/v1", Kind: "RayCluster"},
					ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "ray", UID: types.UID("second")}}))
		}, []string{"g-0", "g-1", "g-2"}, "another has its name"},
		"as many as a disruption budget needs": {func(w *living) {
			for i := range 3 {
				w.change(fmt.Sprint("g-", i), func(p *corev1.Pod) {
					p.Labels = map[string]string{"app": "g"}
					p.Status.Conditions = append(p.Status.Conditions,
						corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
				})
			}
			two := intstr.FromInt32(2)
			w.must(w.core.Create(budgetsKind,
				&policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "b", UID: "b"},
					Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: &two,
						Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "g"}}}}, "ns"))
		}, []string{"g-1", "g-2"}, "budget"},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *living) {
				w.refuse("g-3")
				w.gangOf4()
				w.after(5 * time.Second)
				c.before(w)
				w.after(3 * time.Minute)
				for i := range 3 {
					name, stays := fmt.Sprint("g-", i), false
					for _, s := range c.stays {
						stays = stays || s == name
					}
					if w.there(name) != stays {
						t.Errorf("%s is there: %t, want %t", name, !stays, stays)
					}
				}
				told := fmt.Sprint(w.messages("g"))
				if !strings.Contains(told, c.says) {
					t.Errorf("the events say %s, want them to say %q", told, c.says)
				}
			})
		})
	}
}
