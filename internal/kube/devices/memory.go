package devices

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"

	"ashlar.sh/sched/policy"
)

// memory has the answers that cost steps. Decisions depend on which answers it has: a pod that has to pay for an answer
// again may be put off. So the commitments name the answers, by digests of all that each follows from. An engine made
// anew finds the answers themselves again and pays nothing.
type memory struct {
	of    map[key]*finding            // by key, refusals by keyOfNo, too; nil: paid for, and to be found again
	equal map[policy.Verdict]*finding // refusals, equal ones once
}

// finding is the answer to one question.
type finding struct {
	no      policy.Verdict
	results []resourcev1.AllocationResult
}

// found returns a copy of the devices; the caller may change it.
func (f *finding) found() []resourcev1.AllocationResult {
	out := make([]resourcev1.AllocationResult, len(f.results))
	for i := range f.results {
		f.results[i].DeepCopyInto(&out[i])
	}
	return out
}

// counted says that a refusal has amounts. They may have changed since.
func (f *finding) counted() bool { return f.no.Need > 0 }

// mostFindings bounds the number of answers: two keys for a hundred shapes of claims on 2 600 nodes. An entry takes
// about a hundred bytes.
const mostFindings = 1 << 19

// mostEqual bounds how many different refusals there are at a time.
const mostEqual = 1 << 10

// refusal returns the finding for a refusal; equal refusals share one.
func (m *memory) refusal(no policy.Verdict) *finding {
	if known := m.equal[no]; known != nil {
		return known
	}
	if m.equal == nil || len(m.equal) >= mostEqual {
		m.equal = map[policy.Verdict]*finding{}
	}
	m.equal[no] = &finding{no: no}
	return m.equal[no]
}

// find returns the known answer, nil if there is none; whether it was paid for, which is also true of an answer that
// has to be found again; and what a known refusal follows from. find changes nothing, so that it makes no difference
// whether a node that is known to refuse is looked up.
func (m *memory) find(s nodeState, shape digest) (known *finding, paid bool, on basis) {
	answer, has := m.of[s.key(shape)]
	if answer != nil && answer.no.Admits() {
		return answer, true, 0
	}
	no, refused := m.of[s.keyOfNo(shape)]
	if known = answer; known == nil {
		known = no
	}
	if has {
		on |= onTaken
	}
	if refused {
		on |= onGiven
	}
	return known, has || refused, on
}

// remember notes an answer and returns what a refusal follows from; again: it was paid for before, and was found again.
func (d *Devices) remember(s nodeState, shape digest, f *finding, again bool) (on basis) {
	m := &d.memory
	if again {
		_, _, on = m.find(s, shape)
	} else {
		if m.makeRoom() {
			d.refused.still.touchAll()
		}
		if on = onTaken; !f.no.Admits() {
			on |= onGiven
		}
	}
	if on&onTaken != 0 {
		m.of[s.key(shape)] = f
	}
	if on&onGiven != 0 {
		m.of[s.keyOfNo(shape)] = f
	}
	return on
}

// makeRoom forgets all answers if there is no room for more, and returns true then.
func (m *memory) makeRoom() (forgotten bool) {
	if len(m.of) < mostFindings && m.of != nil {
		return false
	}
	m.of = map[key]*finding{}
	return true
}

// savedMemory is the memory as commitments have it.
type savedMemory struct {
	Accounts map[string]account `json:"accounts,omitempty"`
	Freed    map[string]uint64  `json:"freed,omitempty"` // by driver/pool
	Found    []string           `json:"found,omitempty"` // keys
	// by slice and request the devices that were paid for
	Selected map[string]map[string]string `json:"selected,omitempty"`
}

// Memory implements ledger.Resumable.
func (d *Devices) Memory() string {
	r := savedMemory{Accounts: d.budget.accounts, Freed: map[string]uint64{}, Selected: map[string]map[string]string{}}
	for p, u := range d.used.pools { // order-free: into a map
		if u.freed > 0 {
			r.Freed[p.driver+"/"+p.name] = u.freed
		}
	}
	for k := range d.memory.of { // order-free: sorted below
		r.Found = append(r.Found, k.String())
	}
	slices.Sort(r.Found)
	for _, b := range d.inventory.slices { // order-free: into a map
		for w, m := range b.fits { // order-free: into a map
			if r.Selected[b.content.String()] == nil {
				r.Selected[b.content.String()] = map[string]string{}
			}
			r.Selected[b.content.String()][w.String()] = m.paid()
		}
	}
	if len(r.Accounts)+len(r.Freed)+len(r.Found)+len(r.Selected) == 0 {
		return ""
	}
	text, err := json.Marshal(r)
	if err != nil {
		return ""
	}
	return string(text)
}

// Recall implements ledger.Resumable.
func (d *Devices) Recall(text string) {
	var r savedMemory
	if json.Unmarshal([]byte(text), &r) != nil {
		return // written by another version: all answers are found anew
	}
	if len(r.Accounts) > 0 {
		d.budget.accounts, d.budget.of = r.Accounts, map[string]int64{}
	}
	for _, u := range d.used.pools { // order-free: each is by itself
		u.freed = 0
	}
	for name, freed := range r.Freed { // order-free: each is by itself
		driver, name, _ := strings.Cut(name, "/") // no driver's name has one
		d.used.pool(pool{driver, name}).freed = freed
	}
	d.memory.of = map[key]*finding{}
	d.refused.still.touchAll()
	for _, text := range r.Found {
		if k, ok := keyOf(text); ok {
			d.memory.of[k] = nil
		}
	}
	for _, b := range d.inventory.slices { // order-free: each is by itself
		for wish, paid := range r.Selected[b.content.String()] { // order-free: into a map
			if w, ok := read(wish); ok {
				m := &matched{of: make([]judged, len(b.ids))}
				m.pay(paid)
				b.fits[w] = m
			}
		}
	}
}

func read(text string) (d digest, ok bool) {
	raw, err := hex.DecodeString(text)
	return digest(append(raw, make([]byte, len(d))...)[:len(d)]), err == nil && len(raw) == len(d)
}

// paid are the devices that were paid for, one bit each, in hexadecimal.
func (m *matched) paid() string {
	bits := make([]byte, (len(m.of)+7)/8)
	for i := range m.of {
		if m.of[i].paid {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return hex.EncodeToString(bits)
}

// pay is the inverse of paid.
func (m *matched) pay(text string) {
	bits, err := hex.DecodeString(text)
	if err != nil {
		return
	}
	for i := range m.of {
		m.of[i].paid = i/8 < len(bits) && bits[i/8]&(1<<(i%8)) != 0
	}
}
