package observe

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ashlar.sh/sched/model"
)

func keptPod(name, uid string, version uint64) *Pod {
	return &Pod{fact: model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}, UID: uid,
		Version: version, Object: &model.Pod{}}}
}

// taken is what the queue hands on, as name/uid/version.
func taken(q *queue) string {
	var out []string
	for _, c := range q.take() {
		p := c.object.(*Pod)
		out = append(out, fmt.Sprintf("%s/%s/%d/%t", p.fact.Ref.Name, p.fact.UID, p.fact.Version, c.gone))
	}
	return strings.Join(out, " ")
}

func TestWhatIsKeptForAMoment(t *testing.T) {
	for name, c := range map[string]struct {
		happens            func(*queue)
		atOnce, afterwards string
	}{
		"it is handed on when the moment is over": {func(q *queue) {
			q.hold(keptPod("p", "a", 1), true, moment)
		}, "", "p/a/1/false"},
		"its newest state is": {func(q *queue) {
			q.hold(keptPod("p", "a", 1), true, moment)
			q.hold(keptPod("p", "a", 3), false, moment)
			q.hold(keptPod("p", "a", 2), false, moment)
		}, "", "p/a/3/false"},
		"what need not wait any more is there at once": {func(q *queue) {
			q.hold(keptPod("p", "a", 1), true, moment)
			q.add(keptPod("p", "a", 2), false)
		}, "p/a/2/false", ""},
		"what is gone is gone": {func(q *queue) {
			q.hold(keptPod("p", "a", 1), true, moment)
			q.add(keptPod("p", "a", 2), true)
		}, "p/a/2/true", ""},
		"another life of the name has a moment of its own": {func(q *queue) {
			q.hold(keptPod("p", "a", 1), true, moment)
			q.hold(keptPod("p", "b", 2), true, moment)
		}, "", "p/b/2/false"},
		"the one that is due first is there first": {func(q *queue) {
			q.hold(keptPod("p", "a", 1), true, moment)
			q.hold(keptPod("q", "b", 2), true, moment/2)
		}, "", "q/b/2/false p/a/1/false"},
		"two in a row": {func(q *queue) {
			q.hold(keptPod("p", "a", 1), true, moment)
			<-time.After(moment / 2)
			q.hold(keptPod("q", "b", 2), true, moment)
		}, "", "p/a/1/false q/b/2/false"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue()
				c.happens(q)
				select {
				case <-q.wake:
				default:
				}
				if got := taken(q); got != c.atOnce {
					t.Errorf("at once there is %q, want %q", got, c.atOnce)
				}
				var got []string
				for c.afterwards != "" && len(got) < strings.Count(c.afterwards, " ")+1 {
					<-q.wake // nothing else wakes it
					got = append(got, taken(q))
				}
				if text := strings.Join(got, " "); text != c.afterwards {
					t.Errorf("afterwards there is %q, want %q", text, c.afterwards)
				}
				<-time.After(2 * moment)
				if got := taken(q); got != "" || len(q.held.of) != 0 || q.held.until != nil {
					t.Errorf("in the end there is %q and %+v, want nothing", got, q.held)
				}
			})
		})
	}
}

// It came before: it may have been decided on, and is not taken away again.
func TestOnlyWhatComesFirstIsKept(t *testing.T) {
	if newQueue().hold(keptPod("p", "a", 2), false, moment) {
		t.Error("it is kept")
	}
}
