package observe

import (
	"sync"

	"k8s.io/apimachinery/pkg/watch"
)

// decodedAhead is how many events of a watch are decoded before the last of them was taken.
const decodedAhead = 64

// buffered is a watch that is decoded by one goroutine while another one takes its events. Client-go hands over each
// event by itself: the two then wait for each other, and a first list takes half as long again.
type buffered struct {
	of     watch.Interface
	events chan watch.Event
	ended  chan struct{}
	end    sync.Once
}

func newBuffered(of watch.Interface) *buffered {
	b := &buffered{of: of, events: make(chan watch.Event, decodedAhead), ended: make(chan struct{})}
	go b.run()
	return b
}

func (b *buffered) run() {
	defer close(b.events)
	for e := range b.of.ResultChan() {
		select {
		case b.events <- e:
		case <-b.ended:
			return
		}
	}
}

// ResultChan implements watch.Interface.
func (b *buffered) ResultChan() <-chan watch.Event { return b.events }

// Stop implements watch.Interface.
func (b *buffered) Stop() {
	b.end.Do(func() { close(b.ended) })
	b.of.Stop()
}
