package observe

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

func life(uid, version string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: types.UID(uid),
		ResourceVersion: version}}
}

func TestOfOneLifeTheNewestStateWaitsAndOfTwoLivesBoth(t *testing.T) {
	q := newQueue()
	q.add(life("a", "1"), false)
	q.add(life("a", "3"), false)
	q.add(life("a", "2"), false) // a list that was read before
	q.add(life("a", "4"), true)
	q.add(life("b", "5"), false)
	got := q.take()
	if len(got) != 2 || got[0].uid != "a" || !got[0].gone || got[1].uid != "b" || got[1].gone {
		t.Errorf("what waits is %+v, want the end of a, then b", got)
	}
	if len(q.take()) != 0 {
		t.Error("what was taken is there again")
	}
}

func TestAnOldListDoesNotHideWhatWasWatched(t *testing.T) {
	q := newQueue()
	q.add(life("a", "3"), false)
	q.add(life("a", "2"), false)
	if got := q.take(); len(got) != 1 || got[0].version != 3 {
		t.Errorf("what waits is %+v, want version 3", got)
	}
}

func TestAMissedDeletionIsADeletion(t *testing.T) {
	w := (&Observer{queue: newQueue()}).wire()
	w.handler().OnDelete(cache.DeletedFinalStateUnknown{Key: "ns/p", Obj: life("a", "1")})
	got := w.queue.take()
	if len(got) != 1 || !got[0].gone || got[0].uid != "a" {
		t.Errorf("what waits is %+v, want the end of a", got)
	}
}

// What is told late of an earlier life of a name does not end the wait of the later one for its owners: it is decided
// on after it.
func TestAnEarlierLifeEndsNoLaterOnesWait(t *testing.T) {
	lives := states(t, []sight{{"first", ""}, {"", ""}, {"second", ""}})
	for _, gone := range []bool{true, false} {
		q := newQueue()
		if !q.hold(lives[2], true, 0) {
			t.Fatal("it is not kept")
		}
		q.add(lives[0], gone)
		var told []string
		for _, c := range q.take() {
			told = append(told, c.uid)
		}
		if !slices.Contains(told, "second") {
			t.Errorf("first gone: %t: the second life is lost, told are %v", gone, told)
		}
	}
}
