package search

import "ashlar.sh/sched/ledger"

// remainingParts is the parts of a job that have no place yet. Parts are taken out and put back in reverse order.
// What the job could still reach is counted along, so that a step costs the same however many parts
// there are.
type remainingParts struct {
	job   *ledger.Job
	free  bool // no minimum binds
	parts []part
	all   links   // the parts that are left, in order
	of    links   // the same by policy; the last list has the parts that complete no sub-group
	tasks int64   // the number of tasks of the parts that are left
	sized []int32 // by policy: sub-groups that have their size, pipelined members included
	could []int32 // … or could have it with what is left
	lack  int     // the number of policies with fewer sized sub-groups than their minimum
	short int     // … with fewer that could be sized than their minimum
}

func newRest(job *ledger.Job, parts []part, free bool) *remainingParts {
	n := len(job.Group.SubGroups)
	r := &remainingParts{job: job, free: free, parts: make([]part, 0, len(parts)+1), all: newLinks(1, len(parts)+1),
		of: newLinks(n+1, len(parts)+1)}
	r.sized, r.could = make([]int32, n), make([]int32, n)
	for p := range n {
		if job.Group.SubGroups[p].Min > 0 {
			r.lack++
			r.short++
		}
	}
	for k := range job.Subs {
		if s := &job.Subs[k]; s.PlacedOrPipelined() > 0 && s.PlacedOrPipelined() >= job.SubSize(s) {
			r.count(s.Policy, 1, 1)
		}
	}
	for _, p := range parts {
		r.push(p)
	}
	return r
}

// count changes the number of a policy's sub-groups that have their size, and of those that could.
func (r *remainingParts) count(policy, sized, could int32) {
	least := r.job.Group.SubGroups[policy].Min
	r.lack -= below(r.sized[policy], least)
	r.short -= below(r.could[policy], least)
	r.sized[policy] += sized
	r.could[policy] += could
	r.lack += below(r.sized[policy], least)
	r.short += below(r.could[policy], least)
}

func below(have, least int32) int {
	if have < least {
		return 1
	}
	return 0
}

func (r *remainingParts) policy(i int) int32 { return r.job.Subs[r.parts[i].sub].Policy }

// push adds a part at the end; pop takes it out again.
func (r *remainingParts) push(p part) {
	list := int32(len(r.sized))
	if p.grows {
		list = r.job.Subs[p.sub].Policy
	}
	r.parts = append(r.parts, p)
	r.all.push(0)
	r.of.push(list)
	r.add(len(r.parts)-1, 1)
}

func (r *remainingParts) pop() {
	r.add(len(r.parts)-1, -1)
	r.parts = r.parts[:len(r.parts)-1]
	r.all.pop()
	r.of.pop()
}

// take takes a part out; putBack is its inverse.
func (r *remainingParts) take(i int) {
	r.all.take(i)
	r.of.take(i)
	r.add(i, -1)
}

func (r *remainingParts) putBack(i int) {
	r.all.putBack(i)
	r.of.putBack(i)
	r.add(i, 1)
}

func (r *remainingParts) add(i int, sign int32) {
	r.tasks += int64(sign) * int64(len(r.parts[i].tasks))
	if r.parts[i].grows {
		r.count(r.policy(i), 0, sign)
	}
}

// placed notes that a part that was taken out has a place (sign 1), or lost it (-1).
func (r *remainingParts) placed(i int, sign int32) {
	if r.parts[i].grows {
		r.count(r.policy(i), sign, sign)
	}
}

// next is the index of the part to place now: the first of a policy that lacks sub-groups, else the
// first; -1 when none is left.
func (r *remainingParts) next() int {
	first := -1
	for p := 0; r.lack > 0 && p < len(r.sized); p++ {
		if r.sized[p] < r.job.Group.SubGroups[p].Min {
			if i := r.of.front(p); i >= 0 && (first < 0 || i < first) {
				first = i
			}
		}
	}
	if first < 0 {
		first = r.all.front(0)
	}
	return first
}

// possible says that the job would have its minimum if all parts that are left had a place.
func (r *remainingParts) possible() bool {
	return r.free || r.short == 0 && r.have()+r.tasks >= int64(r.job.MinMember)
}

func (r *remainingParts) have() int64 { return int64(r.job.PlacedOrPipelined()) }

// least is how many tasks of a part that was taken out have to be placed together: what its sub-group
// needs, and what the job would lack with all other parts placed.
func (r *remainingParts) least(i int) int64 {
	p := &r.parts[i]
	if r.free {
		return p.need
	}
	return max(p.need, min(int64(len(p.tasks)), int64(r.job.MinMember)-r.have()-r.tasks))
}

// links are doubly linked lists of the numbers from 0 on, each number in one list. A number that is
// taken out keeps its links, and gets its old position back when numbers are put back in reverse order.
type links struct {
	ends       int
	next, prev []int32
}

func newLinks(lists, numbers int) links {
	l := links{ends: lists, next: make([]int32, lists, lists+numbers), prev: make([]int32, lists, lists+numbers)}
	for e := range lists {
		l.next[e], l.prev[e] = int32(e), int32(e)
	}
	return l
}

// push adds the next number at the end of a list; pop removes the highest number.
func (l *links) push(list int32) {
	l.next, l.prev = append(l.next, list), append(l.prev, l.prev[list])
	l.putBack(len(l.next) - 1 - l.ends)
}

func (l *links) pop() {
	l.take(len(l.next) - 1 - l.ends)
	l.next, l.prev = l.next[:len(l.next)-1], l.prev[:len(l.prev)-1]
}

func (l *links) take(i int) {
	at := i + l.ends
	l.next[l.prev[at]], l.prev[l.next[at]] = l.next[at], l.prev[at]
}

func (l *links) putBack(i int) {
	at := int32(i + l.ends)
	l.next[l.prev[at]], l.prev[l.next[at]] = at, at
}

// front is the first number of a list; -1 when it is empty.
func (l *links) front(list int) int {
	if at := int(l.next[list]); at >= l.ends {
		return at - l.ends
	}
	return -1
}
