package world

import (
	"cmp"
	"container/heap"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// sequence orders all that happens. Its driver is the one goroutine that touches the API server.
type sequence struct {
	due     agenda
	counted int  // events so far: those at one time happen in the order in which they were decided
	over    bool // run returns at once

	mu       sync.Mutex
	arrived  []*arrival
	open     map[*arrival]bool // requests without an answer
	ended    []*delivery
	signal   chan struct{}
	watching map[*apimodel.Watch]*delivery
	posted   []planned // what the driver is to do at once; their order is theirs
}

// arrival is a request that has come in, and waits for its answer.
type arrival struct {
	request *apimodel.Request
	key     string
	answer  chan answer
}

type answer struct {
	response apimodel.Response
	ok       bool
}

// delivery is what a watch was sent.
type delivery struct {
	watch  *apimodel.Watch
	mu     sync.Mutex
	ready  []apimodel.Event
	over   bool
	wake   chan struct{}
	last   time.Time // when the last event arrives that is on its way
	number int
	stalls time.Time // it delivers nothing before
}

func newSequence() *sequence {
	return &sequence{signal: make(chan struct{}, 1), open: map[*arrival]bool{},
		watching: map[*apimodel.Watch]*delivery{}}
}

// planned is something that happens at a time.
type planned struct {
	at    time.Time
	order int
	do    func()
}

// agenda is a heap of what is planned.
type agenda []planned

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return cmp.Or(a[i].at.Compare(a[j].at), cmp.Compare(a[i].order, a[j].order)) < 0
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(planned)) }
func (a *agenda) Pop() any {
	last := len(*a) - 1
	out := (*a)[last]
	*a = (*a)[:last]
	return out
}

// after plans something. Only the driver may call it.
func (s *sequence) after(d time.Duration, do func()) {
	s.counted++
	heap.Push(&s.due, planned{time.Now().Add(max(0, d)), s.counted, do})
}

// run lets things happen until a time. arrive decides what becomes of a request.
func (s *sequence) run(until time.Time, arrive func(*arrival), gone func(*delivery)) {
	for {
		synctest.Wait() // everything else waits
		if s.over {
			return
		}
		s.mu.Lock()
		arrived, ended, posted := s.arrived, s.ended, s.posted
		s.arrived, s.ended, s.posted = nil, nil, nil
		s.mu.Unlock()
		slices.SortStableFunc(arrived, func(a, b *arrival) int { return strings.Compare(a.key, b.key) })
		slices.SortFunc(ended, func(a, b *delivery) int { return cmp.Compare(a.number, b.number) })
		for _, d := range ended {
			gone(d)
		}
		for _, a := range arrived {
			arrive(a)
		}
		slices.SortFunc(posted, func(a, b planned) int { return cmp.Compare(a.order, b.order) })
		for _, p := range posted {
			p.do()
		}
		now := time.Now()
		if len(s.due) > 0 && !s.due[0].at.After(now) {
			heap.Pop(&s.due).(planned).do()
			continue
		}
		if !now.Before(until) {
			return
		}
		next := until
		if len(s.due) > 0 && s.due[0].at.Before(next) {
			next = s.due[0].at
		}
		timer := time.NewTimer(next.Sub(now))
		select {
		case <-timer.C:
		case <-s.signal:
			timer.Stop()
		}
	}
}

// abandon has nothing happen any more that was to happen: requests that wait for an answer have none, whenever they
// would have given up. It returns how many did.
func (s *sequence) abandon() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due, s.arrived = nil, nil
	for a := range s.open {
		select {
		case a.answer <- answer{}:
		default: // it has one, and is about to read it
		}
	}
	return len(s.open)
}

// post has the driver do something at once, in order with what else is posted.
func (s *sequence) post(order int, do func()) {
	s.mu.Lock()
	s.posted = append(s.posted, planned{order: order, do: do})
	s.mu.Unlock()
	s.wake()
}

func (s *sequence) wake() {
	select {
	case s.signal <- struct{}{}:
	default:
	}
}

// gate is where the requests of one client come in.
type gate struct {
	s *sequence
}

// Answer implements apimodel.Gate.
func (g gate) Answer(r *apimodel.Request, gone <-chan struct{}) (apimodel.Response, bool) {
	a := &arrival{request: r, key: keyOf(r), answer: make(chan answer, 1)}
	g.s.mu.Lock()
	g.s.arrived, g.s.open[a] = append(g.s.arrived, a), true
	g.s.mu.Unlock()
	g.s.wake()
	defer func() {
		g.s.mu.Lock()
		delete(g.s.open, a)
		g.s.mu.Unlock()
	}()
	select {
	case out := <-a.answer:
		return out.response, out.ok
	case <-gone:
		return apimodel.Response{}, false
	}
}

// Next implements apimodel.Gate.
func (g gate) Next(w *apimodel.Watch, gone <-chan struct{}) (apimodel.Event, bool) {
	g.s.mu.Lock()
	d := g.s.watching[w]
	g.s.mu.Unlock()
	if d == nil { // it ended before its answer came
		return apimodel.Event{}, false
	}
	for {
		d.mu.Lock()
		if len(d.ready) > 0 {
			e := d.ready[0]
			d.ready = d.ready[1:]
			d.mu.Unlock()
			return e, true
		}
		over := d.over
		d.mu.Unlock()
		if over {
			return apimodel.Event{}, false
		}
		select {
		case <-d.wake:
		case <-gone:
			g.left(w)
			return apimodel.Event{}, false
		}
	}
}

// left notes that a client does not read a watch any more.
func (g gate) left(w *apimodel.Watch) {
	g.s.mu.Lock()
	if d := g.s.watching[w]; d != nil {
		g.s.ended = append(g.s.ended, d)
	}
	g.s.mu.Unlock()
	g.s.wake()
}

// hand gives a watch an event, or ends it.
func (d *delivery) hand(e *apimodel.Event) {
	d.mu.Lock()
	if e != nil {
		d.ready = append(d.ready, *e)
	} else {
		d.over = true
	}
	d.mu.Unlock()
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// keyOf orders requests that come in at one time by what they ask for, not by which goroutine was first.
func keyOf(r *apimodel.Request) string {
	query := make([]string, 0, len(r.Query))
	for k := range r.Query {
		if k != "timeoutSeconds" && k != "timeout" { // client-go draws it at random, and the world ends watches when it likes
			query = append(query, k+"="+strings.Join(r.Query[k], ","))
		}
	}
	slices.Sort(query)
	sum := fnv.New64a()
	_, _ = sum.Write(r.Body) // a hash takes all
	return fmt.Sprintf("%s %s %s %s %016x", r.Client, r.Path, r.Method, strings.Join(query, "&"), sum.Sum64())
}
