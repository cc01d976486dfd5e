package readapi

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"ashlar.sh/internal/crash"
	"ashlar.sh/internal/kube/access"
)

// Bounds of streams.
const (
	mostStreams     = 512
	mostOfUser      = 128
	mostBehind      = 64       // generations; a client further behind is dropped
	mostBacklog     = 64 << 20 // bytes of changes that a client has not read, likewise
	encodingShare   = 20       // making generations may take one part in so many of the time of a processor
	generationsEach = copyEvery
)

// generation is what changed until one moment. It does not change once it is published; its next one comes with more.
type generation struct {
	Moment
	number  uint64
	bytes   uint64              // of the changes of this one and all before
	changes map[string][]change // since the one before, of kinds that this had, too

	more chan struct{} // is closed when next or err is set
	next *generation
	err  error // the streams end
}

// momentOrNone is the moment of a generation; the zero one for nil.
func (g *generation) momentOrNone() Moment {
	if g == nil {
		return Moment{}
	}
	return g.Moment
}

// streams makes generations while clients read them.
type streams struct {
	copies  *copies
	counted func(int) // how many read, after each change of it
	crash   crash.Handler

	mu      sync.Mutex
	ended   bool
	users   map[string]int // streams by user
	readers int
	wanted  map[string]int // kinds, by their readers
	last    *generation
	from    *copied          // what the last generation was made of
	tables  map[string]table // of the last generation: a client that comes begins with them
	kick    chan struct{}    // another kind is wanted
	stop    context.CancelFunc
}

func newStreams(c *copies, o *Options) *streams {
	s := &streams{copies: c, counted: o.Watchers, crash: o.Panicked, users: map[string]int{}, wanted: map[string]int{},
		kick: make(chan struct{}, 1)}
	if s.counted == nil {
		s.counted = func(int) {}
	}
	return s
}

func (s *streams) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readers
}

// begin counts a reader of some kinds. It returns what ends the reading, or why there is none.
func (s *streams) begin(u *access.User, kinds []string) (end func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		return nil, &Unready{Reason: Ending, Message: "this scheduler is ending"}
	case s.readers >= mostStreams:
		return nil, &refusal{code: http.StatusTooManyRequests, reason: "TooManyRequests", message: "too many streams",
			retry: 10}
	case s.users[access.Share(u)] >= mostOfUser:
		return nil, &refusal{code: http.StatusTooManyRequests, reason: "TooManyRequests",
			message: "too many streams of user " + access.Share(u), retry: 10}
	}
	s.readers++
	s.users[access.Share(u)]++
	for _, k := range kinds {
		s.wanted[k]++
	}
	if s.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		s.stop, s.last, s.tables = stop, &generation{more: make(chan struct{})}, map[string]table{}
		s.crash.Go("making streams", func() { s.run(ctx) })
	} else if slices.ContainsFunc(kinds, func(k string) bool { return s.tables[k] == nil }) {
		select {
		case s.kick <- struct{}{}:
		default:
		}
	}
	s.counted(s.readers)
	return func() { s.leave(access.Share(u), kinds) }, nil
}

func (s *streams) leave(user string, kinds []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers--
	if s.users[user]--; s.users[user] == 0 {
		delete(s.users, user)
	}
	for _, k := range kinds {
		if s.wanted[k]--; s.wanted[k] == 0 {
			delete(s.wanted, k)
		}
	}
	if s.readers == 0 && s.stop != nil {
		s.stop()
		s.stop, s.last, s.from, s.tables = nil, nil, nil, nil
	}
	s.counted(s.readers)
}

// end ends all streams, for good.
func (s *streams) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.close(&Unready{Reason: Ending, Message: "this scheduler is ending"})
}

// close ends the streams that are read now. The lock is held.
func (s *streams) close(err error) {
	if s.stop == nil {
		return
	}
	s.stop()
	s.last.err = err
	close(s.last.more)
	s.stop, s.last, s.from, s.tables = nil, nil, nil, nil
}

// run makes generations until ctx ends. An error ends the streams: their clients come back and are told why.
func (s *streams) run(ctx context.Context) {
	defer func() { // a panic, too
		s.mu.Lock()
		defer s.mu.Unlock()
		if ctx.Err() == nil {
			s.close(errors.New("the stream was ended by an error in the scheduler"))
		}
	}()
	for {
		next, err := s.step(ctx)
		var unready *Unready
		if errors.As(err, &unready) && unready.Reason == Busy || errors.Is(err, context.DeadlineExceeded) {
			err = nil // a later one will do
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.mu.Lock()
			if ctx.Err() == nil {
				s.close(err)
			}
			s.mu.Unlock()
			return
		}
		pause := time.NewTimer(time.Until(next))
		select {
		case <-ctx.Done():
		case <-s.kick:
		case <-pause.C:
		}
		pause.Stop()
	}
}

// following is the last generation with its tables, and the kinds that the next one follows. A table of another kind is
// given up: a client that came now and began with it would miss what changes until the next generation.
func (s *streams) following() (last *generation, had map[string]table, wanted []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tables = maps.Clone(s.tables) // clients read it
	maps.DeleteFunc(s.tables, func(k string, _ table) bool { return s.wanted[k] == 0 })
	return s.last, s.tables, slices.Collect(maps.Keys(s.wanted))
}

// news says that a copy would make another generation than the one before: it is a later copy, or a kind is wanted that
// was not followed yet.
func (s *streams) news(c *copied, had map[string]table, wanted []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.from != c || slices.ContainsFunc(wanted, func(k string) bool { return had[k] == nil })
}

// step makes and publishes one generation, if there is news. It returns when the next one may be made: when a newer
// copy is due, and this one has taken no more than its share. These times run side by side and do not add up.
func (s *streams) step(ctx context.Context) (next time.Time, err error) {
	within, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	before, had, wanted := s.following()
	if before == nil || ctx.Err() != nil {
		return next, ctx.Err()
	}
	next = time.Now().Add(generationsEach)
	var need parts
	for _, k := range wanted {
		need |= tables[k].part()
	}
	c, err := s.copies.get(within, need)
	if err != nil {
		return next, err
	}
	next = c.due
	if !s.news(c, had, wanted) {
		return next, nil
	}
	began := time.Now()
	made := &generation{Moment: c.Moment, number: before.number + 1, bytes: before.bytes, changes: map[string][]change{},
		more: make(chan struct{})}
	now := map[string]table{}
	for _, k := range wanted {
		old, known := had[k]
		if !known {
			old = tables[k]
		}
		table, changes, err := old.follow(c)
		if err != nil {
			return next, err
		}
		if now[k] = table; known {
			made.changes[k] = changes
			for i := range changes {
				made.bytes += uint64(len(changes[i].line) + len(changes[i].bare))
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != before {
		return next, ctx.Err() // it was ended meanwhile
	}
	before.next, s.last, s.from, s.tables = made, made, c, now
	close(before.more)
	if rested := time.Now().Add(encodingShare * time.Since(began)); rested.After(next) {
		next = rested
	}
	return next, nil
}

// current is the last generation with its tables; nil when there is none any more.
func (s *streams) current() (*generation, map[string]table) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last, s.tables
}
