package observe

import (
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func podNamed(n int) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: strconv.Itoa(n)}}
}

// Each event comes, in order, and then the end.
func TestABufferedWatchHasAllEvents(t *testing.T) {
	of := watch.NewFake()
	b := newBuffered(of)
	go func() {
		for n := range 3 * decodedAhead {
			of.Add(podNamed(n))
		}
		of.Stop()
	}()
	n := 0
	for e := range b.ResultChan() {
		if p, is := e.Object.(*corev1.Pod); !is || e.Type != watch.Added || p.Name != strconv.Itoa(n) {
			t.Fatalf("event %d is %v", n, e)
		}
		n++
	}
	if n != 3*decodedAhead {
		t.Errorf("%d events came", n)
	}
}

// A reader may stop at any time: then the watch ends, though nothing takes what it has read ahead.
func TestABufferedWatchEndsWithItsReader(t *testing.T) {
	of := watch.NewFakeWithChanSize(2*decodedAhead, false)
	for n := range 2 * decodedAhead {
		of.Add(podNamed(n))
	}
	b := newBuffered(of)
	<-b.ResultChan()
	b.Stop()
	b.Stop()
	for range b.ResultChan() { // it is closed once all that was read ahead is taken
	}
	if !of.IsStopped() {
		t.Error("the watch goes on")
	}
}
