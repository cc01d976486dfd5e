package summary

import "strconv"

// Load is how a cluster that is being filled stood when what had arrived first asked for a
// share of its GPUs. It is how the packing of schedulers is compared.
type Load struct {
	Requested  Share   `json:"requested"` // the mark that was reached
	At         Seconds `json:"at"`
	Allocated  Share   `json:"allocated"`
	Fragmented Share   `json:"fragmented"`
}

// marks are the loads at which a cluster that is being filled is looked at.
var marks = []Share{800_000, 900_000, 1_000_000, 1_100_000, 1_200_000, 1_300_000}

// mark is what a mark is called: 130 for 1.3.
func mark(s Share) string { return strconv.FormatInt(int64(s)/10_000, 10) }

// load notes the marks that requests have reached by now.
func (s *sweep) load() {
	if !s.w.filling || s.gpu < 0 || s.cap[s.gpu] == 0 {
		return
	}
	share := func(x, whole int64) Share {
		var t total
		t.add(max(0, x), 1)
		return t.share(whole, 1)
	}
	asked := share(s.asked[s.gpu].now, s.cap[s.gpu])
	for len(s.loads) < len(marks) && asked >= marks[len(s.loads)] {
		s.loads = append(s.loads, Load{Requested: marks[len(s.loads)], At: Seconds(s.asked[s.gpu].since),
			Allocated: share(s.held[s.gpu].now, s.cap[s.gpu]), Fragmented: share(s.frag[s.gpu].now, s.wasteable(s.gpu))})
	}
}

// Fill says that the trace fills the cluster and nothing leaves, so that Figures.Loads has
// a meaning.
func (w *Watch) Fill() { w.filling = true }
