package devices

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	resourcev1 "k8s.io/api/resource/v1"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/utils/ptr"
)

// mostSelector is what one expression may cost to evaluate for one device, in CEL's units of
// cost. Comparing an attribute costs less than ten; the API server takes a million, which is
// half a second.
const mostSelector = 5_000

// leastOfAsking is what evaluating an expression for a device costs at least, in steps: CEL prepares each evaluation
// for some microseconds, which it does not count.
const leastOfAsking = 40

// MostPrograms bounds the sizes of the expressions that are kept compiled.
const MostPrograms = 2 << 20

// Size is what keeping an expression compiled counts for: by its length, since what is compiled
// takes hundreds of bytes for each byte of it.
func Size(expression string) int { return max(len(expression), 256) }

// Programs are selectors' expressions, compiled: once for all engines, for it takes long. Its
// methods may be called from any goroutine.
type Programs struct {
	mu    sync.Mutex
	clock uint64
	size  int
	of    map[string]*program
}

// program is one expression; used is when it was asked for last.
type program struct {
	cel.CompilationResult
	used uint64
}

// NewPrograms returns none yet.
func NewPrograms() *Programs { return &Programs{of: map[string]*program{}} }

// Compiled says that an expression need not be compiled any more.
func (p *Programs) Compiled(expression string) bool { return p.known(expression) != nil }

// Compile compiles an expression, unless it is compiled. One that is none is compiled, too:
// it selects nothing.
func (p *Programs) Compile(expression string) { p.get(expression) }

func (p *Programs) known(expression string) *program {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.of[expression]
	if known != nil {
		p.clock++
		known.used = p.clock
	}
	return known
}

func (p *Programs) get(expression string) *program {
	if known := p.known(expression); known != nil {
		return known
	}
	made := &program{CompilationResult: compile(expression)}
	p.mu.Lock()
	defer p.mu.Unlock()
	if other := p.of[expression]; other != nil {
		return other // compiled by somebody else meanwhile
	}
	if p.size += Size(expression); p.size > MostPrograms {
		p.forget()
	}
	p.clock++
	made.used = p.clock
	p.of[expression] = made
	return made
}

// compile is Kubernetes' compiler. It returns a panic of the compiler as an error.
func compile(expression string) (out cel.CompilationResult) {
	defer func() {
		if r := recover(); r != nil {
			out = cel.CompilationResult{Expression: expression, Error: &apiservercel.Error{
				Type: apiservercel.ErrorTypeInternal, Detail: fmt.Sprint("compilation failed: ", r)}}
		}
	}()
	compiler := cel.GetCompiler(cel.Features{EnableConsumableCapacity: features.ConsumableCapacity})
	return compiler.CompileCELExpression(expression, cel.Options{CostLimit: ptr.To[uint64](mostSelector),
		DisableCostEstimation: true})
}

// forget drops the older half.
func (p *Programs) forget() {
	var used []uint64
	for _, o := range p.of { // order-free: sorted below
		used = append(used, o.used)
	}
	slices.SortFunc(used, func(a, b uint64) int { return cmp.Compare(a, b) })
	for expression, o := range p.of { // order-free: each is judged by itself
		if o.used <= used[len(used)/2] {
			p.size -= Size(expression)
			delete(p.of, expression)
		}
	}
}

// answer is what an expression says of one device: whether it selects it, what that cost to
// find out, and what went wrong.
type answer struct {
	yes    bool
	cost   int32
	fault  string
	costly bool // it was given up for its cost
}

// ask evaluates an expression for a device.
func (p *program) ask(d cel.Device) answer {
	if p.Error != nil {
		return answer{cost: 1, fault: p.Error.Detail}
	}
	yes, details, err := p.DeviceMatches(context.Background(), d)
	out := answer{yes: yes && err == nil, cost: leastOfAsking}
	if details != nil && details.ActualCost() != nil {
		out.cost += int32(min(*details.ActualCost(), 2*mostSelector))
	}
	if err != nil {
		out.fault, out.costly = err.Error(), strings.Contains(err.Error(), "cost limit exceeded")
	}
	return out
}

// uncompiledMark is an annotation of claims with selectors that are not compiled yet. No claim comes with it from an
// API server: the observer removes it.
const uncompiledMark = "ashlar.sh/selectors-not-compiled"

// Uncompiled is a claim that the engine is told of before its selectors are compiled: its pods
// wait for that.
func Uncompiled(c *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
	out := *c
	out.Annotations = map[string]string{uncompiledMark: "true"}
	return &out
}

func uncompiled(c *resourcev1.ResourceClaim) bool { return c.Annotations[uncompiledMark] != "" }
