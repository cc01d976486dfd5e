package devices

import (
	"maps"
	"slices"
	"strings"
)

// The cost of finding devices is counted in steps. The allocator looks at a device: one step.
// A unit of CEL's cost: one step; an expression costs at least leastOfAsking. A step takes one
// or two tenths of a microsecond. No clock bounds the cost, so that equal questions have equal
// answers. Four budgets bound it:
//
//   - of a question, which is about claims on one node: devices that were not found when it is
//     spent count as absent;
//   - of a cycle, since all other pods wait for its end;
//   - of a namespace, and of the claims of one shape in it: accounts that fill as time passes.
//     So the claims of one tenant do not keep the scheduler busy, nor one claim the others of
//     its tenant.
//
// An answer is kept and is not paid for again (memory.go): a pod that is put off goes on where
// it stopped.
//
// All limits are in steps.
type limits struct {
	question int64 // of the allocator, for one question
	cycle    int64 // no question begins after it; namespaces that have spent much may use half of it
	least    int64 // a namespace may spend so much in each cycle, though the cycle's limit is reached,
	most     int64 // unless all namespaces together spent this; twice this for one that has spent little
	explain  int64 // in a cycle, to say why a pod waits
	free     int64 // this much of each search counts in no budget: a gang is placed whole

	tenant, tenantRate int64 // the most that a namespace may save, and its income a second
	shape, shapeRate   int64 // the same for claims of one shape in a namespace
}

var usual = limits{question: 10_000, cycle: 20_000, least: 1_000, most: 30_000, explain: 20_000, free: 1_000,
	tenant: 1_600_000, tenantRate: 800_000, shape: 800_000, shapeRate: 400_000}

// putOff is how long a pod waits for the next cycle when it found the cycle's budget spent.
const putOff = int64(10_000_000)

const second = int64(1_000_000_000)

// account is how many steps may be spent, and when that was so.
type account struct {
	Left int64
	At   int64 // nanoseconds since the epoch
}

// budget counts the steps that were spent and that may be spent. The zero value counts nothing until a cycle begins.
type budget struct {
	limits
	counts     bool
	now        int64
	spent      int64            // in this cycle
	of         map[string]int64 // by namespace
	explaining int64            // since the cycle began, to explain
	asked      int64            // nodes looked at for claims in this cycle, also where the answer was known
	accounts   map[string]account
	resume     int64 // when the pods that were put off in this cycle may go on; 0: none was
}

// open begins a cycle.
func (b *budget) open(now int64) {
	b.counts, b.now, b.spent, b.explaining, b.asked, b.resume = true, now, 0, 0, 0, 0
	if b.accounts == nil {
		b.accounts, b.of = map[string]account{}, map[string]int64{}
	}
	clear(b.of)
	for _, name := range slices.Sorted(maps.Keys(b.accounts)) {
		if most, _ := b.terms(name); b.account(name).Left >= most {
			delete(b.accounts, name)
		}
	}
}

// accountName names the account of a namespace, or with a shape the account of such claims in it.
func accountName(namespace string, shape *digest) string {
	if shape == nil {
		return namespace
	}
	return namespace + "/" + shape.String()
}

// terms are what an account may hold, and what it gets a second.
func (b *budget) terms(name string) (most, rate int64) {
	if strings.Contains(name, "/") {
		return b.shape, b.shapeRate
	}
	return b.tenant, b.tenantRate
}

// account is what the account of that name may spend now.
func (b *budget) account(name string) account {
	most, rate := b.terms(name)
	a, known := b.accounts[name]
	if !known {
		return account{most, b.now}
	}
	if passed := b.now - a.At; passed >= (most-a.Left)*second/rate {
		return account{most, b.now}
	} else if gain := passed * rate / second; gain > 0 {
		// What the division leaves over is not lost.
		return account{a.Left + gain, a.At + gain*second/rate}
	}
	return a
}

// Which budget is spent, as reasons say it.
const (
	ofNone      = ""
	ofCycle     = "cycle"
	ofNamespace = "namespace"
	ofClaim     = "claim"
)

// allow says how many steps claims of a shape may begin a question with, and which budget is
// spent when they may not.
func (b *budget) allow(namespace string, shape digest) (steps int64, spent string) {
	if !b.counts {
		return b.question, ofNone
	}
	if of := b.blocked(namespace, shape); of != ofNone {
		name := accountName(namespace, nil)
		if of == ofClaim {
			name = accountName(namespace, &shape)
		}
		a := b.account(name)
		_, rate := b.terms(name)
		b.wait(a.At + (1-a.Left)*second/rate + 1)
		return 0, of
	}
	left, most := b.cycle-b.spent, 2*b.most
	if a := b.account(namespace); a.Left < b.tenant/2 {
		left, most = left-b.cycle/2, b.most
	}
	if left > 0 {
		return b.question, ofNone
	}
	if left := b.least - b.of[namespace]; left > 0 && b.spent < most {
		return left, ofNone
	}
	b.wait(b.now + putOff)
	return 0, ofCycle
}

// blocked says which account is empty.
func (b *budget) blocked(namespace string, shape digest) string {
	switch {
	case !b.counts:
	case b.account(accountName(namespace, nil)).Left <= 0:
		return ofNamespace
	case b.account(accountName(namespace, &shape)).Left <= 0:
		return ofClaim
	}
	return ofNone
}

func (b *budget) wait(until int64) {
	if b.resume == 0 || until < b.resume {
		b.resume = max(until, b.now+putOff)
	}
}

// charge notes what a question has cost: in this cycle, and in the accounts.
func (b *budget) charge(namespace string, shape digest, steps int64) {
	if !b.counts || steps <= 0 {
		return
	}
	b.spent += steps
	b.of[namespace] += steps
	b.owe(namespace, shape, steps)
}

// owe takes steps from the accounts alone: they are spent beside the budget of a cycle.
func (b *budget) owe(namespace string, shape digest, steps int64) {
	if !b.counts || steps <= 0 {
		return
	}
	for _, name := range [...]string{accountName(namespace, nil), accountName(namespace, &shape)} {
		a := b.account(name)
		a.Left -= steps
		b.accounts[name] = a
	}
}
