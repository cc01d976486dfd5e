package owners

// place is where an owner waits to be read.
type place uint8

const (
	nowhere place = iota
	later         // a pod that has a node names it: no pod waits for the answer
	soon          // a pod waits for it
	reading
)

// laterEach is the number of turns after which an owner that no pod waits for goes first.
const laterEach = 4

// readQueue chooses the owner to be read next.
type readQueue struct {
	soon, later roundRobin
	taken       int
}

func (t *readQueue) add(o *Owner, at place) {
	if o.place >= at {
		return
	}
	o.place = at
	if at == soon {
		t.soon.add(o)
	} else {
		t.later.add(o)
	}
}

// next takes the owner to be read next; nil when there is none.
func (t *readQueue) next() *Owner {
	t.taken++
	if t.taken%laterEach == 0 {
		if o := t.later.next(later); o != nil {
			return o
		}
	}
	if o := t.soon.next(soon); o != nil {
		return o
	}
	return t.later.next(later)
}

// roundRobin gives each namespace its turn, so that one with many owners keeps only its own
// pods waiting.
type roundRobin struct {
	order []string // of namespaces with owners that wait
	of    map[string][]*Owner
}

func (r *roundRobin) add(o *Owner) {
	if r.of == nil {
		r.of = map[string][]*Owner{}
	}
	waiting := r.of[o.namespace]
	if len(waiting) == 0 {
		r.order = append(r.order, o.namespace)
	}
	r.of[o.namespace] = append(waiting, o)
}

// next takes the first owner that still waits in this place.
func (r *roundRobin) next(at place) *Owner {
	for len(r.order) > 0 {
		namespace := r.order[0]
		r.order = r.order[1:]
		waiting := r.of[namespace]
		o := waiting[0]
		if waiting = waiting[1:]; len(waiting) == 0 {
			delete(r.of, namespace)
		} else {
			r.of[namespace] = waiting
			r.order = append(r.order, namespace)
		}
		if o.place == at && !o.dropped {
			return o
		}
	}
	return nil
}
