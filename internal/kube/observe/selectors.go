package observe

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/client-go/tools/cache"

	"ashlar.sh/internal/kube/devices"
)

// Compiler compiles the selectors of resource claims.
type Compiler interface {
	Compiled(expression string) bool
	// Compile may take long.
	Compile(expression string)
}

// selectors has the selectors of resource claims compiled, before the engine is told that a
// claim can be met: compiling one takes a millisecond and, made to that end, a second, which
// would be a cycle's. Until then a claim is told of as one that waits for it. Namespaces take
// turns, the one first for which least was done, so that no namespace waits for another.
type selectors struct {
	compiler Compiler        // nil: the engine compiles what it needs
	ready    func(claim any) // hands on a claim once its selectors are compiled
	wake     [2]chan struct{}

	mu       sync.Mutex
	of       map[string][]string // by claim
	tenants  map[string]*tenant  // by namespace
	admitted int                 // sizes of expressions, of all namespaces
	served   time.Duration       // the most that was done for the namespace that was served last
}

// tenant is what the claims of a namespace select by.
type tenant struct {
	uses     map[string]int // in how many claims
	admitted map[string]bool
	size     int // of what is admitted
	waits    map[string]*resourcev1.ResourceClaim
	spent    time.Duration // what was done for it, or for others before it began to wait
}

// Sizes of expressions (devices.Size) that may be compiled at a time. Together they are less
// than what is kept compiled, also where eighty namespaces have no more than their least.
const (
	mostOfTenant  = devices.MostPrograms / 32
	mostOfAll     = devices.MostPrograms * 3 / 8
	leastOfTenant = devices.MostPrograms / 128 // whatever others have: more than the longest expression
)

const short = 512 // bytes of an expression that never waits for a longer one

func newSelectors(c Compiler, ready func(any)) *selectors {
	return &selectors{compiler: c, ready: ready, of: map[string][]string{}, tenants: map[string]*tenant{},
		wake: [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)}}
}

// expressionsOf are those by which a claim selects, each once.
func expressionsOf(c *resourcev1.ResourceClaim) (out []string) {
	add := func(list []resourcev1.DeviceSelector) {
		for _, s := range list {
			if s.CEL != nil && !slices.Contains(out, s.CEL.Expression) {
				out = append(out, s.CEL.Expression)
			}
		}
	}
	for i := range c.Spec.Devices.Requests {
		r := &c.Spec.Devices.Requests[i]
		if r.Exactly != nil {
			add(r.Exactly.Selectors)
		}
		for j := range r.FirstAvailable {
			add(r.FirstAvailable[j].Selectors)
		}
	}
	return out
}

// note takes in a claim that came or changed.
func (s *selectors) note(c *resourcev1.ResourceClaim) {
	if s.compiler == nil {
		return
	}
	key := cache.MetaObjectToName(c).String()
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tenants[c.Namespace]
	waited := t != nil && t.waits[key] != nil
	s.drop(c.Namespace, key)
	list := expressionsOf(c)
	if len(list) == 0 {
		return
	}
	if t = s.tenants[c.Namespace]; t == nil {
		t = &tenant{uses: map[string]int{}, admitted: map[string]bool{}, waits: map[string]*resourcev1.ResourceClaim{}}
		s.tenants[c.Namespace] = t
	}
	s.of[key] = list
	for _, e := range list {
		t.uses[e]++
	}
	switch {
	case s.lacks(list):
		if len(t.waits) == 0 {
			t.spent = max(t.spent, s.served) // an idle namespace has saved nothing
		}
		t.waits[key] = c
		s.admit(t)
		s.rouse()
	case waited: // they were compiled this moment, and compiled finds it no more among those that wait
		s.ready(c)
	}
}

// forget takes a claim out that is gone.
func (s *selectors) forget(c *resourcev1.ResourceClaim) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(c.Namespace, cache.MetaObjectToName(c).String())
}

func (s *selectors) drop(namespace, key string) {
	t := s.tenants[namespace]
	if t == nil {
		return
	}
	for _, e := range s.of[key] {
		if t.uses[e]--; t.uses[e] > 0 {
			continue
		}
		delete(t.uses, e)
		if t.admitted[e] {
			delete(t.admitted, e)
			t.size -= devices.Size(e)
			s.admitted -= devices.Size(e)
		}
	}
	delete(s.of, key)
	delete(t.waits, key)
	if len(t.uses) == 0 {
		delete(s.tenants, namespace)
	}
	for _, o := range s.tenants { // order-free: there is room for all that come, or it is a matter of luck
		if len(o.waits) > 0 && s.admit(o) {
			s.rouse()
		}
	}
}

// admit lets expressions of claims that wait be compiled, as many as may be.
func (s *selectors) admit(t *tenant) (any bool) {
	for _, key := range slices.Sorted(maps.Keys(t.waits)) {
		for _, e := range s.of[key] {
			size := devices.Size(e)
			fits := t.size+size <= mostOfTenant && s.admitted+size <= mostOfAll || t.size+size <= leastOfTenant
			if !t.admitted[e] && fits {
				t.admitted[e], any = true, true
				t.size += size
				s.admitted += size
			}
		}
	}
	return any
}

func (s *selectors) lacks(list []string) bool {
	return slices.ContainsFunc(list, func(e string) bool { return !s.compiler.Compiled(e) })
}

// shown is a claim as the engine is told of it.
func (s *selectors) shown(c *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
	if s.compiler == nil || !s.lacks(expressionsOf(c)) {
		return c
	}
	return devices.Uncompiled(c)
}

func (s *selectors) rouse() {
	for _, w := range s.wake {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

// run compiles until ctx ends: on lane 0 short expressions alone, on lane 1 all.
func (s *selectors) run(ctx context.Context, lane int) {
	longest := [...]int{short, math.MaxInt}[lane]
	for s.compiler != nil {
		for s.one(ctx, longest) {
		}
		select {
		case <-ctx.Done():
			return
		case <-s.wake[lane]:
		}
	}
}

// one compiles the next expression and hands on the claims that waited for no other.
func (s *selectors) one(ctx context.Context, longest int) bool {
	namespace, next := s.next(longest)
	if next == "" || ctx.Err() != nil {
		return false
	}
	began := time.Now()
	s.compiler.Compile(next)
	took := time.Since(began)
	s.compiled(namespace, next, took)
	if took > short*time.Microsecond { // half of the time is for others
		select {
		case <-ctx.Done():
		case <-time.After(took):
		}
	}
	return true
}

// next is an expression that is to be compiled, of the namespace for which least was done.
func (s *selectors) next(longest int) (namespace, expression string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range slices.Sorted(maps.Keys(s.tenants)) {
		t := s.tenants[n]
		if namespace != "" && s.tenants[namespace].spent <= t.spent {
			continue
		}
		if e := s.wanted(t, longest); e != "" {
			namespace, expression = n, e
		}
	}
	return namespace, expression
}

// wanted is the shortest that claims of a namespace wait for.
func (s *selectors) wanted(t *tenant, longest int) (out string) {
	for _, key := range slices.Sorted(maps.Keys(t.waits)) {
		for _, e := range s.of[key] {
			if t.admitted[e] && len(e) <= longest && (out == "" || len(e) < len(out)) && !s.compiler.Compiled(e) {
				out = e
			}
		}
	}
	return out
}

// compiled notes what was done for a namespace, and hands on the claims that need no more.
func (s *selectors) compiled(namespace, expression string, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tenants[namespace]; t != nil {
		t.spent += took
		s.served = max(s.served, t.spent)
	}
	for _, t := range s.tenants { // order-free: each is handed on by itself
		if t.uses[expression] == 0 {
			continue
		}
		for key, c := range t.waits { // order-free: each is handed on by itself
			if slices.Contains(s.of[key], expression) && !s.lacks(s.of[key]) {
				delete(t.waits, key)
				s.ready(c) // within the lock: else its end could come before
			}
		}
	}
}
