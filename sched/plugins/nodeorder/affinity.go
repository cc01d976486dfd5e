package nodeorder

import (
	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
)

// affinity prefers the nodes for which preferred node affinity terms hold.
type affinity struct{ weight int64 }

// RawScore is the sum of the weights of the preferred terms that hold. A preferred
// term without requirements is worth nothing anywhere, as in kube-scheduler.
func (affinity) RawScore(s *model.Spec, n *model.Node) int64 {
	sum := int64(0)
	for i := range s.Preferred {
		if p := &s.Preferred[i]; match.Term(p.Term, n) {
			sum += int64(p.Weight)
		}
	}
	return sum
}

// Weight is nodeaffinity.weight.
func (a affinity) Weight() int64 { return a.weight }

// Reverse: a higher sum is better.
func (affinity) Reverse() bool { return false }

// Aspect is what the spec prefers.
func (affinity) Aspect(s *model.Spec) string {
	var w model.Form
	w.Preferences(s.Preferred)
	return w.String()
}
