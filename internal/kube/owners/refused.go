package owners

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/klog/v2"
)

// tryRefused is how often it is tried whether a right that was missing has been granted.
const tryRefused = time.Minute

// missing is a right to get that was refused.
type missing struct{ group, resource string }

// rule is the line that a role lacks.
func (m missing) rule() string {
	return fmt.Sprintf(`{apiGroups: [%q], resources: [%q], verbs: [get]}`, m.group, m.resource)
}

// refusal is a kind with objects that may not be read: one of the waiting owners is tried now
// and then.
type refusal struct {
	waiting []*Owner
	trying  *Owner
}

// isRefused keeps an owner for the time when its kind may be read; false when it is to be
// tried.
func (r *Reader) isRefused(m missing, o *Owner) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.refused[m]
	if f == nil || f.trying == o {
		return false
	}
	f.waiting = append(f.waiting, o)
	return true
}

// refuse notes that objects of a kind may not be read, and says so once.
func (r *Reader) refuse(ctx context.Context, m missing, o *Owner) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.refused[m]
	if f == nil {
		f = &refusal{}
		r.refused[m] = f
		klog.InfoS("Pods are scheduled without what their owners say of queue, gang and run time: a right is missing",
			"owners", o.kind.Kind, "rule", m.rule())
		time.AfterFunc(tryRefused, func() { r.try(ctx, m) })
	}
	f.trying = nil
	f.waiting = append(f.waiting, o)
}

// try reads one owner of a kind that was refused, and goes on until that is granted.
func (r *Reader) try(ctx context.Context, m missing) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.refused[m]
	if f == nil || ctx.Err() != nil {
		return
	}
	f.waiting = slices.DeleteFunc(f.waiting, func(o *Owner) bool { return o.dropped })
	if (f.trying == nil || f.trying.dropped) && len(f.waiting) > 0 {
		f.trying, f.waiting = f.waiting[0], f.waiting[1:]
		r.ask(f.trying, later)
	}
	time.AfterFunc(tryRefused, func() { r.try(ctx, m) })
}

// granted has those read that were refused before.
func (r *Reader) granted(m missing) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.refused[m]
	if f == nil {
		return
	}
	delete(r.refused, m)
	klog.InfoS("What owners say of queue, gang and run time is read now: the right that was missing is there",
		"rule", m.rule())
	for _, o := range f.waiting {
		r.ask(o, later)
	}
}
