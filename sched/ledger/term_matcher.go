package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// TermMatcher is a PluginState that knows which affinity terms of other pods a pod matches. Pods with equal
// specs that match different terms are of different classes: a pod may avoid one of them and not the other.
type TermMatcher interface {
	PluginState
	// MatchedTerms returns the terms that a pod matches, sorted, as ids that are never given to other terms.
	MatchedTerms(t TaskID, task *Task) []int64
}

// HeedMatchedTerms splits classes by the terms that pods match: filters find them in Spec.MatchedTerms.
// Without a call no class is split.
func (l *Ledger) HeedMatchedTerms(k TermMatcher) { l.termMatcher = k }

// RematchTerms gives a waiting pod the class for the terms that it matches now. What was found about its job
// may not hold any more.
func (l *Ledger) RematchTerms(t TaskID) {
	if row := &l.tasks[t]; l.reclass(t) && row.Job != NoJob {
		l.jobs[row.Job].Changed++
		l.mark(row.Job)
		l.roomEpoch++
	}
}

// Recast is RematchTerms where the terms change scores only: no other waiting task gets a new chance.
func (l *Ledger) Recast(t TaskID) {
	if row := &l.tasks[t]; l.reclass(t) && row.Job != NoJob {
		l.jobs[row.Job].Changed++
		l.mark(row.Job)
	}
}

// reclass moves a member to the class for its spec, its queue's groups and its matched terms; true when that
// is another class. Both classes ask for the same amounts.
func (l *Ledger) reclass(t TaskID) bool {
	row := &l.tasks[t]
	if !l.heeds && l.termMatcher == nil || row.Job == NoJob || row.Unsound {
		return false
	}
	groups, terms := l.groupsFor(row), l.matchedTermsFor(t, row)
	if is := l.classes[row.Class].Spec; is.Groups.Equal(groups) && slices.Equal(is.MatchedTerms, terms) {
		return false
	}
	spec := *row.Pod.Spec
	spec.Groups, spec.MatchedTerms = groups, terms
	was := row.Class
	row.Class = l.class(&spec, false)
	l.dropClass(was)
	return true
}

func (l *Ledger) groupsFor(row *Task) *model.NodeGroups {
	if !l.heeds || row.Job == NoJob || l.jobs[row.Job].Queue == NoQueue {
		return nil
	}
	return l.queues[l.jobs[row.Job].Queue].groups
}

func (l *Ledger) matchedTermsFor(t TaskID, row *Task) []int64 {
	if l.termMatcher == nil || row.Pod.Phase == model.PodSucceeded || row.Pod.Phase == model.PodFailed {
		return nil
	}
	return l.termMatcher.MatchedTerms(t, row)
}

// matchedTermsForm is what matched terms add to the canonical form of a class.
func matchedTermsForm(terms []int64) string {
	if len(terms) == 0 {
		return ""
	}
	var w model.Form
	w.Part()
	for _, k := range terms {
		w.Number(k)
	}
	return w.String()
}
