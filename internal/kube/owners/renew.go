package owners

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Renew has a Kubernetes Job with a deadline read anew, since a pod of it came after it was read: the Job may have been
// suspended and resumed, and its deadline counts from then on. What was known holds until it is read.
func (r *Reader) Renew(namespace string, ref *metav1.OwnerReference) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o := r.owners[key{namespace, ref.UID}]; o != nil && o.restarts {
		r.renew(o, soon)
	}
}

// ReadAgain has a Kubernetes Job read anew, since its deadline may be edited while its pods wait.
func (r *Reader) ReadAgain(o *Owner) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.renew(o, later)
}

func (r *Reader) renew(o *Owner, at place) {
	if o.knowledge == Final && !o.dropped {
		o.knowledge, o.renewed = Provisional, true
		r.ask(o, at)
	}
}

// ReadBefore are the Kubernetes Jobs that were read before a time: of each namespace the one that was read first, in
// turn, then the next of each.
func (r *Reader) ReadBefore(t time.Time) (out []*Owner) {
	type aged struct {
		o    *Owner
		read time.Time
		turn int // of its namespace
	}
	r.mu.Lock()
	var old []aged
	for _, o := range r.owners {
		if o.kubernetesJob() && o.knowledge == Final && o.read.Before(t) {
			old = append(old, aged{o: o, read: o.read})
		}
	}
	r.mu.Unlock()
	slices.SortFunc(old, func(a, b aged) int { return a.read.Compare(b.read) })
	turns := map[string]int{}
	for i := range old {
		namespace := old[i].o.namespace
		old[i].turn = turns[namespace]
		turns[namespace]++
	}
	slices.SortStableFunc(old, func(a, b aged) int { return a.turn - b.turn })
	for _, a := range old {
		out = append(out, a.o)
	}
	return out
}
