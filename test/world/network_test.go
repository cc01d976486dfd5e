package world

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"ashlar.sh/test/world/apimodel"
)

// network is between the schedulers and the API server.
type network struct {
	w       *World
	down    time.Time      // the API server is away until then
	cuts    map[string]cut // by client
	number  int            // of watches
	streams []*delivery
	ahead   map[string]time.Duration // by how much the clock of a client is ahead
}

// Requests take this long one way, and when they are late this long. Late ones stay below the margin of a lease, the
// 5 s in which a scheduler does not write any more: what arrives after that no scheduler could prevent.
const (
	fastest = 200 * time.Microsecond
	usual   = 3 * time.Millisecond
	latest  = 4 * time.Second
	// longHeld is for how long a request may be held at most that is carried out all the same.
	longHeld = 59 * time.Second
	// After so long without an answer a connection is given up: by client-go's pings, which this one over HTTP/1.1 lacks.
	unanswered = 45 * time.Second
	lifetime   = 4 * time.Minute // of a watch, at most: client-go ends them after 5 minutes or more, which it draws itself
)

func (n *network) begin() {
	w, t := n.w, n.w.Trouble
	w.every(t.WatchDies, func() { n.oneWatch("a watch dies", func(d *delivery) { n.end(d) }) })
	w.every(t.WatchStalls, func() {
		n.oneWatch("a watch stalls", func(d *delivery) {
			if until := time.Now().Add(w.between(time.Second, time.Minute)); n.mayStall(d) {
				d.stalls = until
			}
		})
	})
	w.every(t.Lags, func() {
		p := w.procs[w.random.IntN(len(w.procs))]
		until := time.Now().Add(w.between(10*time.Second, time.Minute))
		w.did("a scheduler whose API server lags")
		w.log("the watches of %s lag until %s", p.name, until.Sub(w.began))
		for _, d := range n.streams {
			if d.watch.Client == p.name && d.stalls.Before(until) && n.mayStall(d) {
				d.stalls = until
			}
		}
	})
	w.every(t.Compacts, func() {
		w.did("compaction")
		w.log("the history is compacted, all watches end")
		n.endAll("")
		w.api.Compact(w.api.Version())
	})
	w.every(t.Skips, func() { n.oneWatch("a watch skips to a later version", n.skip) })
	w.every(t.Restarts, func() {
		n.down = time.Now().Add(w.between(time.Second, 20*time.Second))
		w.did("API server restart")
		w.log("the API server is away until %s", n.down.Sub(w.began))
		n.endAll("")
		w.api.Compact(w.api.Version() - 100)
	})
	n.partitions()
	n.processes()
}

// processes ends schedulers, one way or the other.
func (n *network) processes() {
	w, t := n.w, n.w.Trouble
	pick := func() *process { return w.procs[w.random.IntN(len(w.procs))] }
	w.every(t.Killed, func() { w.kill(pick()) })
	w.every(t.Paused, func() { w.pause(pick(), w.between(time.Second, time.Minute)) })
	w.every(t.Panics, func() { pick().bug.strike(w) })
	w.every(t.Replaced, func() {
		w.did("a scheduler asked to end")
		pick().cancel()
	})
}

// mayStall says that a watch may stall from now on: in a dense world one would otherwise stall for longer than any
// scheduler may not see what happens.
func (n *network) mayStall(d *delivery) bool {
	return n.w.Seed < fullerFrom || time.Since(d.stalls) > 5*time.Second
}

func (n *network) calm() {
	n.down = time.Time{}
	clear(n.cuts)
	for _, d := range n.streams {
		d.stalls = time.Time{}
	}
}

// endAll ends all watches of a client, or of all if it is "", one after the other: client-go draws the pause of each.
func (n *network) endAll(client string) {
	for _, d := range n.streams {
		if client == "" || d.watch.Client == client {
			n.w.seq.after(n.latency(), func() { n.end(d) })
		}
	}
}

// drop forgets the watches of a client that has ended. Some may be left: which of those that were about to begin when
// it ended is settled by goroutines, and must not decide what else happens.
func (n *network) drop(client string) {
	for _, d := range slices.Clone(n.streams) {
		if d.watch.Client == client {
			n.gone(d)
		}
	}
}

func (n *network) oneWatch(what string, do func(*delivery)) {
	if len(n.streams) > 0 {
		d := n.streams[n.w.random.IntN(len(n.streams))]
		n.w.did(what)
		n.w.log("%s: %s of %s", what, d.watch.Kind().Resource, d.watch.Client)
		do(d)
	}
}

// latency is how long something takes one way.
func (n *network) latency() time.Duration {
	if !n.w.calm && n.w.chance(n.w.Trouble.Late) {
		n.w.did("late")
		return n.w.between(usual, latest)
	}
	return fastest + n.w.about(usual)
}

// arrive decides what becomes of a request.
func (n *network) arrive(a *arrival) {
	w := n.w
	if w.Breaks.request != nil {
		w.Breaks.request(a.request)
	}
	w.log("%d %s", time.Since(w.began), a.key)
	w.check.asked(a.request)
	if isReview(a.request.Path) {
		w.asked.review(n, a)
		return
	}
	if w.dead(a.request.Client) || time.Now().Before(n.down) {
		n.reply(a, answer{}, n.latency())
		return
	}
	if left := n.cuts[a.request.Client].requests(); left > 0 {
		n.reply(a, answer{}, min(left, unanswered)) // the connection is given up
		return
	}
	t, write := w.Trouble, a.request.Method != http.MethodGet
	took := n.latency()
	switch {
	case w.calm:
	case w.chance(t.LostBefore):
		w.did("lost before it was carried out")
		n.reply(a, answer{}, took)
		return
	case write && w.chance(t.Held) && n.mayHold(a.request):
		w.did("carried out long after it was sent")
		n.reply(a, answer{}, unanswered)
		sent := time.Now()
		w.seq.after(w.between(latest, longHeld), func() { n.release(a.request, sent) })
		return
	case write && w.chance(t.Conflict):
		w.did("409")
		n.reply(a, refusal(apierrors.NewConflict(schema.GroupResource{Resource: "somethings"}, "something", nil)), took)
		return
	case write && strings.Contains(a.request.Path, "/pods/") && w.chance(t.Denied):
		w.did("403")
		w.check.denied(a.request)
		n.reply(a, deniedBy("world"), took)
		return
	case write && t.DeniedAll && !strings.Contains(a.request.Path, "/pods/") &&
		!strings.Contains(a.request.Path, "/leases") && w.chance(t.Denied):
		w.did("403 of no pod")
		n.reply(a, deniedBy("world"), took)
		return
	case w.jobs.refuses(a.request):
		w.did("a binding refused for a while")
		n.reply(a, deniedBy("policy"), took)
		return
	case w.jobs.protects(a.request):
		w.did("a deletion refused for a while")
		w.check.denied(a.request)
		n.reply(a, deniedBy("policy"), took)
		return
	case w.chance(t.TooMany):
		w.did("429")
		n.reply(a, refusal(apierrors.NewTooManyRequests("the server has received too many requests", 1+w.random.IntN(2))),
			took)
		return
	case w.chance(t.Internal):
		w.did("500")
		if w.chance(0.5) {
			n.reply(a, refusal(apierrors.NewInternalError(http.ErrServerClosed)), took)
			return
		}
		w.seq.after(took, func() {
			w.api.Do(a.request)
			n.reply(a, refusal(apierrors.NewInternalError(http.ErrServerClosed)), n.latency())
		})
		return
	}
	w.seq.after(took, func() { n.carryOut(a) })
}

// deniedBy is the answer to a write about a pod that an admission webhook denies.
func deniedBy(webhook string) answer {
	return refusal(apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "something",
		fmt.Errorf("admission webhook %q denied the request", webhook)))
}

// mayHold says that a request may be carried out long after it was sent: one of a scheduler, but for its lease.
func (n *network) mayHold(r *apimodel.Request) bool {
	return isScheduler(r.Client) && !strings.Contains(r.Path, "/leases")
}

// release has the API server carry a request out that it has held, while the scheduler that sent it still acts: what
// comes after the next one's first write no scheduler could prevent.
func (n *network) release(r *apimodel.Request, sent time.Time) {
	if c := n.w.check; c.holder == r.Client && c.terms[r.Client] == c.term && c.restoredAt.Before(sent) {
		n.w.api.Do(r)
	}
}

// carryOut has the API server answer a request.
func (n *network) carryOut(a *arrival) {
	w := n.w
	if w.dead(a.request.Client) || time.Now().Before(n.down) {
		n.reply(a, answer{}, 0)
		return
	}
	w.jobs.around(a.request)
	n.lags(a.request)
	out := w.api.Do(a.request)
	w.jobs.around(a.request)
	if out.Watch != nil {
		n.follow(out.Watch)
		n.reply(a, answer{out, true}, n.latency())
		return
	}
	if !w.calm && a.request.Method != http.MethodGet && w.chance(w.Trouble.Doubled) {
		w.did("carried out twice")
		w.seq.after(w.about(usual), func() { n.reply(a, answer{w.api.Do(a.request), true}, n.latency()) })
		return
	}
	if !w.calm && w.chance(w.Trouble.LostAfter) {
		w.did("lost after it was carried out")
		n.reply(a, answer{}, n.latency())
		return
	}
	n.reply(a, answer{out, true}, n.latency())
}

// lags has a list answered by what was there a while ago, if its client takes that: client-go does where a watch could
// not begin with what there is.
func (n *network) lags(r *apimodel.Request) {
	w := n.w
	least := max(1, w.api.Oldest(), w.api.Version()-lagging)
	if w.calm || r.Method != http.MethodGet || r.Query.Get("resourceVersion") != "0" || r.Query.Get("watch") != "" ||
		least >= w.api.Version() || !w.chance(w.Trouble.Stale) {
		return
	}
	w.did("an old list")
	r.Query.Set("resourceVersion", strconv.FormatInt(least+w.random.Int64N(w.api.Version()-least), 10))
	r.Query.Set("resourceVersionMatch", string(metav1.ResourceVersionMatchExact))
}

// lagging is by how many writes a cache may lag.
const lagging = 300

func refusal(err *apierrors.StatusError) answer {
	s := err.Status()
	s.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	out := apimodel.Response{Code: int(s.Code), Body: s}
	if s.Details != nil {
		out.Retry = int(s.Details.RetryAfterSeconds)
	}
	return answer{out, true}
}

func (n *network) reply(a *arrival, with answer, after time.Duration) {
	n.w.seq.after(after, func() {
		if left := n.cuts[a.request.Client].answers(); left > 0 && with.ok {
			n.reply(a, answer{}, min(left, unanswered))
			return
		}
		if left := n.w.paused(a.request.Client); left > 0 {
			n.reply(a, with, left) // it waits in the client's kernel
			return
		}
		a.answer <- with
	})
}

// follow begins to deliver what a watch sends.
func (n *network) follow(watch *apimodel.Watch) {
	n.number++
	d := &delivery{watch: watch, wake: make(chan struct{}, 1), number: n.number}
	n.w.seq.mu.Lock()
	n.w.seq.watching[watch] = d
	n.w.seq.mu.Unlock()
	n.streams = append(n.streams, d)
	if watch.Pending() > 0 {
		n.deliver(d, watch.Pending())
	}
	n.w.seq.after(n.w.between(lifetime/4, lifetime), func() { n.end(d) })
	n.bookmarks(d)
}

func (n *network) bookmarks(d *delivery) {
	n.w.seq.after(time.Minute, func() {
		if !d.over {
			d.watch.Bookmark()
			n.bookmarks(d)
		}
	})
}

// watched is told that a watch has something to send.
func (n *network) watched(watch *apimodel.Watch) {
	n.w.seq.mu.Lock()
	d := n.w.seq.watching[watch]
	n.w.seq.mu.Unlock()
	if d != nil { // else it begins now: follow delivers that at once
		n.deliver(d, 1)
	}
}

// deliver brings a client so many events of a watch, in order and after a while.
func (n *network) deliver(d *delivery, events int) {
	at := time.Now().Add(n.latency())
	for _, other := range []time.Time{d.last, d.stalls, time.Now().Add(n.cuts[d.watch.Client].answers()),
		time.Now().Add(n.w.paused(d.watch.Client))} {
		if other.After(at) {
			at = other
		}
	}
	d.last = at
	n.w.seq.after(time.Until(at), func() { n.handOver(d, events) })
}

func (n *network) handOver(d *delivery, events int) {
	for _, left := range []time.Duration{time.Until(d.stalls), n.cuts[d.watch.Client].answers(),
		n.w.paused(d.watch.Client)} {
		if left > 0 { // it began to stall while this was on its way
			n.w.seq.after(left, func() { n.handOver(d, events) })
			return
		}
	}
	for range events {
		if e, ok := d.watch.Next(); ok && !d.over {
			if n.w.Breaks.event == nil || n.w.Breaks.event(d.watch.Kind().Kind, &e) {
				d.hand(&e)
			}
		}
	}
}

// end ends a watch.
func (n *network) end(d *delivery) {
	if !d.over {
		d.hand(nil)
	}
	n.gone(d)
}

// gone is told that a watch has ended.
func (n *network) gone(d *delivery) {
	d.over = true
	d.watch.End()
	for i, other := range n.streams {
		if other == d {
			n.streams = append(n.streams[:i:i], n.streams[i+1:]...)
			break
		}
	}
	n.w.seq.mu.Lock()
	delete(n.w.seq.watching, d.watch)
	n.w.seq.mu.Unlock()
}
