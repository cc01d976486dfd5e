package loop

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/readapi"
	"ashlar.sh/sched"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
)

// stockRemembering has a scheduler with no more than a lease keep what it remembers.
func stockRemembering(w *living) { w.options.Election = &Election{Namespace: "ns", Name: "volcano"} }

// runFor has a bound pod run for a time, succeed, and be deleted.
func (w *living) runFor(name string, d time.Duration) {
	w.change(name, func(p *corev1.Pod) { p.Status.StartTime = &metav1.Time{Time: time.Now()} })
	w.after(d)
	w.change(name, func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodSucceeded
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{FinishedAt: metav1.Time{Time: time.Now()}}}}}
	})
	w.after(time.Second)
	w.delete(name)
}

// inLoop has the goroutine of the loop call f.
func (w *living) inLoop(f func(*sched.Engine)) {
	_, err := w.loop.background.questions.ask(w.Context(), func(e *sched.Engine, _ readapi.Moment) { f(e) })
	if err != nil {
		w.Fatal(err)
	}
}

// predicted is how long a pod is expected to run by earlier runs.
func (w *living) predicted(name string) (d time.Duration) {
	there := false
	w.inLoop(func(e *sched.Engine) {
		l := e.Ledger()
		var t ledger.TaskID
		if t, there = l.Tasks.Find(ledger.Key{Namespace: "ns", Name: name}); there {
			d = time.Duration(l.Tasks.Runs.Of(l.Task(t)))
		}
	})
	if !there {
		w.Fatalf("there is no pod %s", name)
	}
	return d
}

// What earlier runs took is known to the next scheduler, too, although no object shows it any more; a cluster in which
// nothing ends writes nothing.
func TestRunsAreKeptOverRestarts(t *testing.T) {
	inVirtualTimeWith(t, 1, stockRemembering, func(w *living) {
		w.after(5 * time.Minute)
		if n := w.usageWrites(); n != 0 {
			t.Errorf("before anything ran it was written %d times", n)
		}
		w.group("g", 1, "")
		w.pods("g", 0, 1, "1")
		w.after(10 * time.Second)
		w.runFor("g-0", 10*time.Minute)
		w.pods("g", 1, 1, "1")
		w.after(2 * time.Minute)
		if is := w.predicted("g-1"); is != 10*time.Minute {
			t.Fatalf("it is expected to run for %v, want 10m", is)
		}
		before := w.usageWrites()
		w.after(2 * time.Hour)
		if n := w.usageWrites() - before; n != 0 {
			t.Errorf("while nothing ended it was written %d times", n)
		}
		w.restart()
		w.after(time.Minute)
		if is := w.predicted("g-1"); is != 10*time.Minute {
			t.Errorf("after a restart it is expected to run for %v, want 10m", is)
		}
		w.runFor("g-1", 20*time.Minute)
		w.pods("g", 2, 1, "1")
		w.restart() // what ended a second ago is kept at the end
		w.after(time.Minute)
		if is := w.predicted("g-2"); is != 20*time.Minute {
			t.Errorf("two runs of one PodGroup are expected to take %v, want what the last one took: 20m", is)
		}
	})
}

// Records that no scheduler writes are left out, and the others hold.
func TestRunsThatWereEdited(t *testing.T) {
	u, err := readUsage(`{"form":1,"objects":1,"Runs":[
		{"Namespace":"ns","Template":7,"Runs":[{"Job":1,"Ended":9000000000000000000,"Took":60000000000}]},
		{"Namespace":"","Template":7,"Runs":[{"Job":1,"Ended":9,"Took":6}]},
		{"Namespace":"ns","Template":0,"Runs":[{"Job":1,"Ended":9,"Took":6}]},
		{"Namespace":"ns","Template":8,"Runs":[]},
		{"Namespace":"ns","Template":9,"Runs":[{"Job":1,"Ended":9,"Took":-6}]},
		{"Namespace":"ns","Template":9,"Runs":[{"Job":1,"Ended":9,"Took":9223372036854775807}]},
		{"Namespace":"ns","User":"` + strings.Repeat("a", 64) + `","Template":9,"Runs":[{"Job":1,"Ended":9,"Took":6}]}],
		"Firsts":[{"Namespace":"ns","Name":"g","Life":"g","Made":5,"Earliest":7,"By":9},
		{"Namespace":"ns","Name":"","Made":5,"Earliest":7,"By":9},
		{"Namespace":"ns","Name":"h","Made":5,"Earliest":7,"By":4},
		{"Namespace":"ns","Name":"h","Made":-5,"Earliest":7,"By":9},
		{"Namespace":"ns","Name":"h","Made":5,"Earliest":7,"By":9223372036854775807}]}`)
	if err == nil || !strings.Contains(err.Error(), "10 records") {
		t.Errorf("it is told: %v", err)
	}
	if len(u.Runs) != 1 || u.Runs[0].Template != 7 || len(u.Firsts) != 1 || u.Firsts[0].Name != "g" {
		t.Errorf("left are %v and %v", u.Runs, u.Firsts)
	}
	if _, err := readUsage(`{"form":1,"Runs":[{"Namespace":7}]}`); err == nil {
		t.Error("a number for a name is not told")
	}
}

// A tenant that fills what is remembered with its longest names makes no ConfigMap larger than the API server takes.
func TestLongRecordsAreDividedAmongMore(t *testing.T) {
	const most = 1 << 20 // of the data of a ConfigMap
	name := func(n, i int) string { return fmt.Sprintf("%0*d", n, i) }
	runs, firsts := savedUsage{}, savedUsage{}
	for i := range 1 << 12 {
		run := ledger.Run{Job: math.MaxUint64, Ended: math.MaxInt64, Took: math.MaxInt64}
		runs.Runs = append(runs.Runs, ledger.RunRecord{Runs: []ledger.Run{run, run},
			RunKey: ledger.RunKey{Namespace: name(63, 0), User: name(63, 0), Template: math.MaxUint64 - uint64(i)}})
	}
	for i := range 1000 {
		r := firstRecord{ledger.JobKey{Namespace: name(63, 0), Name: name(253, i), Owner: name(2*253, i)},
			estimate.First{GroupUID: name(253, i), Made: math.MaxInt64, Earliest: math.MaxInt64, By: math.MaxInt64}}
		firsts.Firsts = append(firsts.Firsts, r)
	}
	for what, s := range map[string]savedUsage{"runs": runs, "first estimates": firsts} {
		read := 0
		for i, text := range (&usageSaver{}).texts(s) {
			if len(text) > most {
				t.Errorf("%s: ConfigMap %d would have %d bytes, and %d is what one may have", what, i, len(text), most)
			}
			var part savedUsage
			if err := json.Unmarshal([]byte(text), &part); err != nil {
				t.Fatal(err)
			}
			read += len(part.Runs) + len(part.Firsts)
		}
		if want := len(s.Runs) + len(s.Firsts); read != want {
			t.Errorf("%s: %d of %d records are in the ConfigMaps", what, read, want)
		}
	}
}

// A ConfigMap that the API server refuses holds up no other.
func TestARefusedConfigMapHoldsUpNoOther(t *testing.T) {
	inVirtualTimeWith(t, 1, stockRemembering, func(w *living) {
		w.answers(&w.kube.Fake, "create", "configmaps", func(a k8stesting.Action) (bool, runtime.Object, error) {
			if m := a.(k8stesting.CreateAction).GetObject().(*corev1.ConfigMap); m.Name == "volcano-usage-1" {
				return true, nil, apierrors.NewRequestEntityTooLargeError("limit is 1048576")
			}
			return false, nil, nil
		})
		_, err := w.kube.CoreV1().ConfigMaps("ns").Create(w.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "volcano-usage-0"},
			Data:       map[string]string{"usage.json": `{"form":1,"objects":2}`}}, metav1.CreateOptions{})
		w.must(err)
		w.restart()
		w.group("g", 1, "")
		w.pods("g", 0, 1, "1")
		w.after(10 * time.Second)
		w.runFor("g-0", 10*time.Minute)
		w.group("of-the-other", 1, "")
		w.pods("of-the-other", 0, 1, "1")
		w.after(3 * time.Minute)
		if kept := w.keptUsage().Data["usage.json"]; kept == `{"form":1,"objects":2}` {
			t.Error("the first was never written")
		}
	})
}

// What was estimated first for a job holds for the next scheduler, as long as it is the same job.
func TestFirstEstimatesAreKeptOverRestarts(t *testing.T) {
	inVirtualTimeWith(t, 1, stockRemembering, func(w *living) {
		w.group("g", 3, "") // waits for its pods
		w.group("h", 3, "")
		w.after(time.Second)
		now := time.Now().UnixNano()
		w.inLoop(func(*sched.Engine) {
			for _, name := range []string{"g", "h"} {
				w.loop.background.estimates.restore([]firstRecord{{ledger.JobKey{Namespace: "ns", Name: name},
					estimate.First{GroupUID: name, Made: now, Earliest: now + 5, By: now + 9}}})
			}
		})
		w.after(2 * time.Minute)
		w.end()
		w.must(w.groups.Delete(groupsKind, "ns", "h"))
		w.must(w.groups.Create(groupsKind, &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns",
			Name: "h", UID: "another"}, Spec: schedulingv1beta1.PodGroupSpec{MinMember: 3, Queue: "default"}}, "ns"))
		w.schedule()
		w.after(time.Minute)
		var kept []firstRecord
		w.inLoop(func(*sched.Engine) { kept = w.loop.background.estimates.saved() })
		if len(kept) != 1 || kept[0].Name != "g" || kept[0].By != now+9 {
			t.Errorf("kept are %v, want those of g, which is the same job", kept)
		}
	})
}
