package loop

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	k8stesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// own makes a queue, and a gang in it of two pods of one core that run.
func (w *living) own(queue string) {
	w.must(w.groups.Create(queuesKind,
		&schedulingv1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Name: queue, UID: types.UID(queue)},
			Spec: schedulingv1beta1.QueueSpec{Weight: 1}}, ""))
	w.group("g", 2, hasty)
	w.regroup("g", func(g *schedulingv1beta1.PodGroup) { g.Spec.Queue = queue })
	for i := range 2 {
		w.runs(fmt.Sprint("g-", i), "g", "ray", "1", "n0")
	}
	w.after(3 * time.Second)
}

// charges is what the records of a gang's pods say, by pod.
func (w *living) charges(group string) map[string]string {
	out := map[string]string{}
	for _, p := range w.members(group) {
		for _, c := range p.Status.Conditions {
			if c.Type == persisted.ChargeCondition {
				out[p.Name] = c.Message
			}
		}
	}
	return out
}

// holds is how many thousandths of a core a queue holds, by the engine.
func (w *living) holds(queue string) int64 {
	led := w.loop.engine.Ledger()
	id, ok := led.Queues.Find(queue)
	if !ok {
		return 0
	}
	return led.Queue(id).Allocated.Get(0)
}

func recordsCharge(a k8stesting.Action) bool {
	patch, is := a.(k8stesting.PatchAction)
	return is && strings.Contains(string(patch.GetPatch()), persisted.ChargeCondition)
}

// A pod that runs for a while is recorded once; of one that ends sooner nothing is written.
func TestARecordIsOneWriteOfAPodThatLasts(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.own("q")
		w.group("short", 1, hasty)
		w.runs("short-0", "short", "ray", "1", "n0")
		w.after(chargeAfter - 10*time.Second)
		w.ends("short-0", corev1.PodSucceeded)
		w.after(10 * time.Minute)
		w.restart()
		w.after(10 * time.Minute)
		n := 0
		for _, a := range w.kube.Actions() {
			if recordsCharge(a) {
				n++
			}
		}
		if n != 2 || len(w.charges("g")) != 2 {
			t.Errorf("%d writes for records %v, want one for each of two pods that last", n, w.charges("g"))
		}
	})
}

func (w *living) drop(group string) {
	w.must(w.groups.Delete(groupsKind, "ns", group))
}

// escapes are ways in which pods of g that run leave the queue where they were let run, and more of them.
func escapes(more map[string]func(w *living)) map[string]func(w *living) {
	all := map[string]func(w *living){
		"its PodGroup is deleted": func(w *living) { w.drop("g") },
		"its PodGroup is nonsense in another queue": func(w *living) {
			w.regroup("g", func(g *schedulingv1beta1.PodGroup) {
				g.Spec.Queue, g.Spec.MinResources = "", &corev1.ResourceList{corev1.ResourceCPU: cores("-1")}
			})
		},
		"its pods name another PodGroup": func(w *living) {
			for i := range 2 {
				w.change(fmt.Sprint("g-", i), func(p *corev1.Pod) { p.Annotations["scheduling.k8s.io/group-name"] = "other" })
			}
		},
	}
	maps.Copy(all, more)
	return all
}

// What runs counts where it was let run when its PodGroup is deleted or names another queue: also by a scheduler that
// is started later and never saw the PodGroup.
func TestWhereAPodWasLetRunIsKnownAfterARestart(t *testing.T) {
	for name, escape := range escapes(map[string]func(w *living){
		"its PodGroup names no queue": func(w *living) {
			w.regroup("g", func(g *schedulingv1beta1.PodGroup) { g.Spec.Queue = "" })
		},
	}) {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *living) {
				w.own("q")
				if got := w.charges("g"); len(got) > 0 || w.holds("q") != 2000 {
					t.Fatalf("before anything is odd queue q holds %d and there are records %v", w.holds("q"), got)
				}
				escape(w)
				w.after(5 * time.Second)
				w.end()
				w.schedule()
				w.after(2 * time.Second)
				if got := w.holds("q"); got != 2000 {
					t.Errorf("after a restart queue q holds %d thousandths of a core of the 2000 that it let run", got)
				}
				w.delete("g-0", "g-1")
				w.after(2 * time.Second)
				if got := w.holds("q"); got != 0 {
					t.Errorf("once the pods are gone queue q holds %d", got)
				}
			})
		})
	}
}

// So it does when that happens while no scheduler runs: once members of a gang have run for a while, each has a record.
// What runs may be a victim there.
func TestWhereAPodWasLetRunIsKnownWhateverHappensMeanwhile(t *testing.T) {
	for name, escape := range escapes(map[string]func(w *living){
		"its PodGroup names another queue": func(w *living) {
			w.regroup("g", func(g *schedulingv1beta1.PodGroup) { g.Spec.Queue = "default" })
		},
		"the member that was recorded first is gone, and its PodGroup": func(w *living) {
			w.delete("g-0")
			w.drop("g")
		},
	}) {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *living) {
				w.own("q")
				w.after(chargeAfter + 5*time.Second)
				w.end()
				escape(w)
				left := int64(len(w.members("g"))+len(w.members("other"))) * 1000
				w.schedule()
				w.after(2 * time.Second)
				if got := w.holds("q"); got != left || got == 0 {
					t.Errorf("after a restart queue q holds %d thousandths of a core of the %d that it let run", got, left)
				}
				for _, p := range append(w.members("g"), w.members("other")...) {
					w.delete(p.Name)
				}
				w.after(2 * time.Second)
				if got := w.holds("q"); got != 0 {
					t.Errorf("once the pods are gone queue q holds %d", got)
				}
			})
		})
	}
}

// A record is asked for once, and again after a minute where it is not seen; without the right to write it the
// rest goes on.
func TestWithoutTheRightToRecordWhereAPodWasLetRun(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.own("q")
		asked := 0
		w.answers(&w.kube.Fake, "patch", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
			if a.GetSubresource() != "status" {
				return false, nil, nil
			}
			asked++
			return true, nil, forbidden("g-0")
		})
		w.drop("g")
		w.after(50 * time.Second)
		if asked != 2 {
			t.Errorf("%d writes were asked for of two pods in a minute", asked)
		}
		if got := w.holds("q"); got != 2000 {
			t.Errorf("queue q holds %d while the scheduler runs", got)
		}
	})
}

// In one round a few records are written, and of each job one first.
func TestManyRecordsAreWrittenAFewAtATime(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.node("big", "64")
		const gangs, members = 4, 30
		for i := range gangs {
			name := fmt.Sprint("h", i)
			w.group(name, 1, hasty)
			w.regroup(name, func(g *schedulingv1beta1.PodGroup) { g.Spec.Queue = "default" })
			for j := range members {
				w.runs(fmt.Sprint(name, "-", j), name, "ray", "100m", "big")
			}
			w.after(time.Second)
		}
		w.after(3 * time.Second)
		for i := range gangs {
			w.drop(fmt.Sprint("h", i))
		}
		w.after(1100 * time.Millisecond)
		written := 0
		for i := range gangs {
			n := len(w.charges(fmt.Sprint("h", i)))
			if written += n; n == 0 {
				t.Errorf("after a round no pod of gang h%d has a record", i)
			}
		}
		if written == 0 || written > 2*mostChargeWrites {
			t.Errorf("%d records are written in about a round", written)
		}
		w.after(10 * time.Second)
		for i := range gangs {
			if n := len(w.charges(fmt.Sprint("h", i))); n != members {
				t.Errorf("of %d pods of a gang %d have a record in the end", members, n)
			}
		}
	})
}

// What stands in a pod's status in that place and is no record says nothing, and is told.
func TestARecordThatCannotBeRead(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.own("q")
		w.change("g-0", func(p *corev1.Pod) {
			p.Status.Conditions = append(p.Status.Conditions,
				corev1.PodCondition{Type: persisted.ChargeCondition, Status: corev1.ConditionTrue, Message: "yes"})
		})
		w.after(2 * time.Second)
		if got := w.holds("q"); got != 2000 {
			t.Errorf("queue q holds %d", got)
		}
		id, _ := w.loop.engine.Ledger().Tasks.Find(keyOf(&model.Pod{Meta: model.Meta{Namespace: "ns", Name: "g-0"}}))
		if len(w.loop.engine.Ledger().Task(id).Pod.Faults) != 1 {
			t.Error("no event tells of it")
		}
	})
}

// together is how many members of a gang stay together when others are to leave, by the engine.
func (w *living) together(group string) int32 {
	led := w.loop.engine.Ledger()
	id, ok := led.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: group})
	if !ok {
		return -1
	}
	return led.Job(id).RetainedMin()
}

// A minimum that a job never had keeps none of its pods from being evicted, whatever its tenant writes and when, also
// by a scheduler that is started later; and a gang that had its minimum keeps it when it has lost a member.
func TestWhichMinimumAJobHadIsKnownAfterARestart(t *testing.T) {
	raise := func(w *living) {
		w.regroup("g", func(g *schedulingv1beta1.PodGroup) {
			g.Spec.MinMember = 1000
			g.Annotations = map[string]string{persisted.RefusedBindsKey: `{"uid":"g","tries":1}`}
			g.Status = schedulingv1beta1.PodGroupStatus{Phase: schedulingv1beta1.PodGroupRunning, Running: 1000,
				Conditions: []schedulingv1beta1.PodGroupCondition{{Type: schedulingv1beta1.PodGroupScheduled,
					Status: corev1.ConditionTrue}}}
		})
	}
	remake := func(least int) func(w *living) {
		return func(w *living) {
			w.drop("g")
			w.after(2 * time.Second)
			w.group("g", least, hasty)
			w.regroup("g", func(g *schedulingv1beta1.PodGroup) { g.Spec.Queue = "q" })
		}
	}
	for name, x := range map[string]struct {
		write func(w *living)
		want  int32
	}{
		"it is raised":                      {raise, 2},
		"its PodGroup is made anew with it": {remake(1000), 2},
		"a member is lost":                  {func(w *living) { w.delete("g-0") }, 2},
		"a member is lost, and its PodGroup made anew": {func(w *living) {
			w.delete("g-0")
			remake(2)(w)
		}, 2},
		"it is raised, a pod is lost and one comes": {func(w *living) {
			raise(w)
			w.after(3 * time.Second)
			w.delete("g-0")
			w.runs("g-2", "g", "ray", "1", "n0")
		}, 2},
	} {
		for _, meanwhile := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, while none runs %t", name, meanwhile), func(t *testing.T) {
				inVirtualTime(t, 1, func(w *living) {
					w.own("q")
					if meanwhile {
						w.after(chargeAfter + 5*time.Second)
						w.end()
						x.write(w)
					} else {
						w.after(3 * time.Second)
						x.write(w)
						w.after(5 * time.Second)
						w.end()
					}
					w.schedule()
					w.after(2 * time.Second)
					if got := w.together("g"); got != x.want {
						t.Errorf("after a restart %d members stay together, want %d", got, x.want)
					}
					n := 0
					w.after(10 * time.Minute)
					for _, a := range w.kube.Actions() {
						if recordsCharge(a) {
							n++
						}
					}
					if n > 6 {
						t.Errorf("%d records are written of three pods at most", n)
					}
				})
			})
		}
	}
}
