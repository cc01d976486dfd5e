package devices

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/klog/v2"

	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// search is one question: with which devices a node would meet claims.
type search struct {
	d      *Devices
	node   *corev1.Node
	reach  *reach
	usable []*publishedSlice // of pools that are whole
	open   []*resourcev1.ResourceClaim
	asks   []ask
	kinds  *kinds
	shape  digest
	alike  alike

	unused bool  // as if nothing were taken
	again  bool  // what was paid for is found again: that pays for nothing else
	limit  int64 // what finding out about devices, or looking for them, may cost
	asking int64 // what finding out did cost
	cost   int64 // what all did
	ended  bool  // for want of more
	faulty string
	costly string
}

// ask is what one request, or one of its alternatives, wants of devices.
type ask struct {
	selection
	class       *resourcev1.DeviceClass
	tolerations []resourcev1.DeviceToleration
	count       int64 // of so many devices; 0: another mode
	taken       bool  // what others have matters to it, too
	claim       int
	request     int
	alternative int // -1: the request itself
}

// leastOfSearch is the fixed cost of a search in steps: to look up what is known, to begin, and to note and report the
// answer. It was measured as a multiple of what a step of the allocator takes.
const leastOfSearch = 24

func (d *Devices) search(node *corev1.Node, of *sought, limit int64) *search {
	s := &search{d: d, node: node, reach: d.inventory.reach(node), open: of.open, asks: of.asks, kinds: &of.kinds,
		shape: of.shape, limit: limit, cost: leastOfSearch}
	s.usable = s.reach.usable
	return s
}

// asks are what claims ask for, one by one.
func (qu *questions) asks(open []*resourcev1.ResourceClaim) (out []ask) {
	for c, claim := range open {
		for i := range claim.Spec.Devices.Requests {
			r := &claim.Spec.Devices.Requests[i]
			if e := r.Exactly; e != nil {
				a := qu.wants(e.DeviceClassName, e.Selectors)
				a.tolerations, a.claim, a.request, a.alternative = e.Tolerations, c, i, -1
				admin := e.AdminAccess != nil && *e.AdminAccess
				if a.taken = admin || e.AllocationMode != resourcev1.DeviceAllocationModeExactCount; !a.taken {
					a.count = min(e.Count, math.MaxInt32)
				}
				out = append(out, a)
			}
			for j := range r.FirstAvailable {
				o := &r.FirstAvailable[j]
				a := qu.wants(o.DeviceClassName, o.Selectors)
				a.claim, a.request, a.alternative = c, i, j
				a.taken = o.AllocationMode != resourcev1.DeviceAllocationModeExactCount
				out = append(out, a)
			}
		}
	}
	return out
}

func (qu *questions) wants(class string, selectors []resourcev1.DeviceSelector) ask {
	c := qu.d.classes.of[class]
	if c == nil {
		return ask{class: &resourcev1.DeviceClass{}, selection: selection{never: true}}
	}
	return ask{class: c, selection: selectionOf(c, selectors)}
}

// run answers the question, without the names that the pod has for its claims. ok: for good, as
// long as the node stands as it does; otherwise it was put off.
func (s *search) run() (found []resourcev1.AllocationResult, no policy.Verdict, ok bool) {
	no = s.short()
	if !no.Admits() {
		return nil, no, true
	}
	var of chosen
	if !s.ended && s.costly == "" {
		of = s.choose()
	}
	switch {
	case s.costly != "":
		text := fmt.Sprintf("a selector costs more than %d to evaluate: %s", mostSelector, brief(s.costly))
		return nil, policy.Verdict{Code: trace.ClaimUnusable, Text: text, Everywhere: true}, true
	case s.ended:
		return nil, no, false
	}
	known, paid := s.like()
	if known != nil {
		return nil, known.no, true
	}
	whole := s.d.budget.question
	most := whole
	if s.limit < whole && !paid { // what was paid for is found again, whatever is left
		most = max(0, s.limit-s.cost)
	}
	before := s.cost
	list, claims := s.shown(&of)
	found, err := s.allocate(list, claims, most)
	if paid {
		s.cost = before
	}
	switch {
	case errors.Is(err, errSteps) && most < whole:
		s.ended = true
		return nil, no, false
	case errors.Is(err, errSteps):
		return nil, policy.Verdict{Code: trace.ClaimSearchExhausted, Have: int32(whole)}, true
	case err != nil:
		return nil, policy.Verdict{Code: trace.ClaimUnusable, Text: strings.TrimSpace(err.Error())}, true
	case len(found) != len(s.open) && s.faulty != "":
		return nil, policy.Verdict{Code: trace.ClaimUnusable, Text: "a selector cannot be evaluated: " + s.faulty}, true
	case len(found) != len(s.open):
		return nil, policy.Verdict{Code: trace.NodeDevices}, true
	}
	return found, policy.Verdict{}, true
}

// brief is the beginning of an expression.
func brief(expression string) string {
	const most = 60
	if len(expression) > most {
		return expression[:most] + "..."
	}
	return expression
}

// like is a refusal of claims of this shape where devices are like those here.
func (s *search) like() (known *finding, paid bool) {
	if !s.alike.on {
		return nil, false
	}
	known, paid = s.d.memory.of[s.alike.key(s.shape)]
	return known, paid
}

// selects says whether a wish selects a device, and pays for finding that out; false where
// that would cost too much.
func (s *search) selects(w selection, m *matched, b *publishedSlice, i int) bool {
	j := &m.of[i]
	if !j.paid && s.asking >= s.limit {
		s.ended = true
		return false
	}
	if !j.asked {
		m.ask(w, b, i, s.d.programs)
	}
	if !j.paid {
		s.asking += int64(j.cost)
		s.cost += int64(j.cost)
		j.paid = s.remembers()
	}
	if m.costly != "" {
		s.costly = m.costly
	}
	if m.fault != "" {
		s.faulty = m.fault
	}
	return j.yes
}

// remembers says that what is found out about devices is kept, and so is paid for.
func (s *search) remembers() bool { return !s.again && !s.d.explains() }

// errSteps ends a search that is not worth going on with.
var errSteps = errors.New("too many steps")

// counter counts what the allocator does. It asks its context whether to go on before each
// device that it chooses, and its logger before each word about one that it looks at.
type counter struct {
	context.Context
	steps, most int64
}

// Err implements context.Context.
func (c *counter) Err() error {
	if c.steps++; c.steps > c.most {
		return errSteps
	}
	return nil
}

// Init implements logr.LogSink, as do the others.
func (c *counter) Init(logr.RuntimeInfo) {}

// Enabled counts a log call and drops it.
func (c *counter) Enabled(int) bool {
	c.steps++
	return false
}

// Info is not called.
func (c *counter) Info(int, string, ...any) {}

// Error says nothing: the answer does.
func (c *counter) Error(error, string, ...any) {}

// WithValues returns the same.
func (c *counter) WithValues(...any) logr.LogSink { return c }

// WithName returns the same.
func (c *counter) WithName(string) logr.LogSink { return c }

// allocate has the allocator find devices, in so many steps.
func (s *search) allocate(list []*resourcev1.ResourceSlice, claims []*resourcev1.ResourceClaim,
	most int64) ([]resourcev1.AllocationResult, error) {
	c := &counter{most: most}
	c.Context = klog.NewContext(context.Background(), logr.New(c))
	defer func() { s.cost += min(c.steps, c.most) }()
	state := s.d.used.state
	if s.unused {
		state = newUsage().state
	}
	allocator, err := structured.NewAllocator(c, features, state, chosenFor{&s.d.classes}, list, s.d.expressions())
	if err != nil {
		return nil, err
	}
	found, err := allocator.Allocate(c, s.node, claims)
	if c.steps > c.most {
		return nil, errSteps
	}
	return found, err
}
