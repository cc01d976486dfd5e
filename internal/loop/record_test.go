package loop

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/persisted"
)

// A scheduler that may not write PodGroups keeps no record. Then nothing is released, and a gang
// with no member refused any more is completed all the same.
func TestWithoutTheRightToWriteARecord(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.answers(&w.volcano.Fake, "patch", "podgroups", func(k8stesting.Action) (bool, runtime.Object, error) {
			return true, nil, forbidden("g")
		})
		w.refuse("g-3")
		w.gangOf4()
		w.after(10 * time.Minute)
		w.keeps("g-0", "g-1", "g-2", "g-3")
		if n := w.bound("g"); n != 3 {
			t.Errorf("%d members are bound while one is refused, want 3", n)
		}
		w.refuse("")
		w.after(20 * time.Minute)
		if n := w.bound("g"); n != 4 {
			t.Errorf("%d members are bound once none is refused, want 4", n)
		}
	})
}

// forge writes a record on a PodGroup that is true of its members but for the claim, and wipes
// its status: as a user with the right to write PodGroups could.
func (w *living) forge(group string) {
	var bound, waiting []string
	refused := ""
	for _, p := range w.members(group) {
		if p.Spec.NodeName != "" {
			bound = append(bound, string(p.UID))
		} else {
			waiting, refused = append(waiting, string(p.UID)), p.Name
		}
	}
	w.regroup(group, func(g *schedulingv1beta1.PodGroup) {
		r := persisted.RefusedBinds{UID: string(g.UID), Tries: 9, Next: time.Now(), Pod: refused, Answer: "no",
			Never: &persisted.NeverComplete{MinMember: g.Spec.MinMember, Bound: persisted.Digest(bound),
				Waiting: persisted.Digest(waiting),
				Unknown: true}}
		g.Annotations = map[string]string{persisted.RefusedBindsKey: r.Text()}
		g.Status = schedulingv1beta1.PodGroupStatus{}
	})
}

// A forged record that another user's gang never ran deletes no pod while the scheduler
// runs; pods without a controller stay over a restart too, and so does every other gang.
func TestAForgedRecord(t *testing.T) {
	inVirtualTime(t, 2, func(w *living) {
		w.gangOf4()
		w.group("h", 2, hasty)
		w.owned("h-0", "h", "ray", "1")
		w.owned("h-1", "h", "ray", "1")
		w.group("bare", 2, hasty)
		w.pods("bare", 0, 2, "1")
		w.after(30 * time.Second)
		w.refuse("g-3 h-1 bare-1")
		w.delete("g-3", "h-1", "bare-1")
		w.owned("g-3", "g", "ray", "1")
		w.owned("h-1", "h", "ray", "1")
		w.pods("bare", 1, 1, "1")
		w.after(time.Second)
		w.forge("g")
		w.after(15 * time.Minute)
		w.keeps("g-0", "g-1", "g-2", "h-0", "bare-0")
		w.end()
		w.forge("bare")
		w.schedule()
		w.after(15 * time.Minute)
		w.keeps("h-0", "bare-0")
		for i := range 2 {
			if name := fmt.Sprint("h-", i); !w.there(name) {
				t.Errorf("%s of another gang is gone", name)
			}
		}
	})
}

// A record that somebody wrote while no scheduler ran takes no gang apart if none of its members
// was refused: the right to write PodGroups does not include the status of pods, which shows a refusal.
func TestAForgedRecordWhileNoSchedulerRuns(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.gangOf4()
		w.after(30 * time.Second)
		w.end()
		w.delete("g-3")
		w.owned("g-3", "g", "ray", "1")
		w.refuse("g-3")
		w.forge("g")
		w.schedule()
		w.after(15 * time.Minute)
		w.keeps("g-0", "g-1", "g-2")
		if n := w.deletions(); n > 0 {
			t.Errorf("the scheduler deleted %d pods, want none", n)
		}
	})
}

// A client that replaces all annotations, and so deletes the record every second, costs a write
// now and then. The gang is taken apart once at most, as without that, and started when it can be.
func TestARecordThatIsWipedAgainAndAgain(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.refuse("g-3")
		w.gangOf4()
		w.after(10 * time.Second)
		before := len(w.volcano.Actions())
		for range 600 {
			w.remade(time.Second)
			w.regroup("g", func(g *schedulingv1beta1.PodGroup) { g.Annotations = nil })
		}
		if n := len(w.volcano.Actions()) - before; n > 60 {
			t.Errorf("in ten minutes %d requests were sent for PodGroups, want at most one in ten seconds", n)
		}
		w.refuse("")
		w.remade(longestBackoff)
		if d, b := w.deletions(), w.bound("g"); d > 3 || b != 4 {
			t.Errorf("%d pods were deleted and %d members are bound once none is refused, want at most 3 and 4", d, b)
		}
	})
}

// A bug that comes up while a gang is read keeps its members, and the scheduler goes on.
func TestAPanicWhileAGangIsRead(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.halfway()
		w.answers(&w.kube.Fake, "list", "pods", func(k8stesting.Action) (bool, runtime.Object, error) { panic("a bug") })
		w.after(30 * time.Minute)
		w.keeps("g-0", "g-1", "g-2", "g-3")
		if told := fmt.Sprint(w.messages("g")); !strings.Contains(told, errUnread.Error()) {
			t.Errorf("the events say %s, want why the members stay", told)
		}
		w.refuse("")
		w.after(longestBackoff)
		if n := w.bound("g"); n != 4 {
			t.Errorf("%d members are bound once none is refused, want 4", n)
		}
	})
}
