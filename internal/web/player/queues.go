package player

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"ashlar.sh/internal/explain"
)

// Bounds of what is told of queues over time.
const (
	mostCurves = 32 // queues
	looks      = 64 // moments that are looked at to choose queues
)

// QueueHistory is what queues held and deserved of one resource over time, in the engine's units. There is a value for
// each of Seconds; where a queue was not there it is null.
type QueueHistory struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Resource   string       `json:"resource"`
	Seconds    []float64    `json:"seconds"` // virtual
	Queues     []QueueCurve `json:"queues"`
}

// QueueCurve is that of one queue.
type QueueCurve struct {
	Name     string   `json:"name"`
	Held     []*int64 `json:"held"`
	Deserved []*int64 `json:"deserved"`
}

// curves reads amounts of one resource of queues. Moments share the rows that are equal, so each is read once.
type curves struct {
	resource string
	read     map[*explain.QueueStand][2]int64
}

// of is what a queue held and deserved.
func (c *curves) of(q *explain.QueueStand) [2]int64 {
	v, known := c.read[q]
	if !known {
		for i, list := range []explain.Quantities{q.Allocated, q.Deserved} {
			v[i], _ = explain.ReadQuantity(c.resource, list[c.resource]) // without an amount it is 0
		}
		c.read[q] = v
	}
	return v
}

// queuesOverTime answers with the queues that are named, or with as many as "most" says of those that held the most.
func (p *Player) queuesOverTime(w http.ResponseWriter, r *http.Request) {
	asks := r.URL.Query()
	c := &curves{resource: asks.Get("resource"), read: map[*explain.QueueStand][2]int64{}}
	p.mu.Lock()
	frames := slices.Clone(p.ring.frames)
	p.mu.Unlock()
	names := asks["queue"]
	if text := asks.Get("most"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			refuse(w, http.StatusBadRequest, "most: expected a number of queues")
			return
		}
		names = append(names, c.largest(frames, n)...)
	}
	out := QueueHistory{APIVersion: apiVersion, Kind: "QueueHistory", Resource: c.resource, Queues: []QueueCurve{},
		Seconds: make([]float64, len(frames))}
	for i, f := range frames {
		out.Seconds[i] = f.now.Seconds()
	}
	for _, name := range distinct(names...) {
		if len(out.Queues) == mostCurves {
			break
		}
		out.Queues = append(out.Queues, c.curve(frames, name))
	}
	write(w, out)
}

func (c *curves) curve(frames []*frame, name string) QueueCurve {
	out := QueueCurve{Name: name, Held: make([]*int64, len(frames)), Deserved: make([]*int64, len(frames))}
	for i, f := range frames {
		if at, there := f.queues.at[name]; there {
			v := c.of(f.queues.list[at])
			out.Held[i], out.Deserved[i] = &v[0], &v[1]
		}
	}
	return out
}

// largest are the queues without others below them that held the most, on average.
func (c *curves) largest(frames []*frame, n int) (names []string) {
	sums := map[string]int64{}
	step := 1 + len(frames)/looks
	for i := len(frames) - 1; i >= 0; i -= step {
		list := frames[i].queues.list
		parents := map[string]bool{}
		for _, q := range list {
			parents[q.Parent] = true
		}
		for _, q := range list {
			if !parents[q.Name] {
				sums[q.Name] += c.of(q)[0]
			}
		}
	}
	for name := range sums {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
	return names[:min(n, len(names))]
}
