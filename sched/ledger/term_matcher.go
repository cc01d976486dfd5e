package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// TermMatcher is a PluginState that knows in which relations of other pods' making a pod stands:
// pods that are equal in what they ask and stand in different relations are of different
// classes (somebody keeps away from the one and not from the other).
type TermMatcher interface {
	PluginState
	// MatchedTerms is a pod's relations, sorted, as numbers that are never used for another.
	MatchedTerms(t TaskID, task *Task) []int64
}

// HeedMatchedTerms makes the relations that a book knows of a part of what placing our pods reads:
// filters find them in Spec.MatchedTerms. Unasked, no class is split.
func (l *Ledger) HeedMatchedTerms(k TermMatcher) { l.termMatcher = k }

// RematchTerms gives a waiting pod the class that its relations make of its spec, after they
// changed; what was found out about its job before may not hold any more.
func (l *Ledger) RematchTerms(t TaskID) {
	if row := &l.tasks[t]; l.reclass(t) && row.Job != NoJob {
		l.jobs[row.Job].Changed++
		l.mark(row.Job)
		l.roomEpoch++
	}
}

// Recast is RematchTerms where relations change scores alone: nobody else who waits has a better
// prospect.
func (l *Ledger) Recast(t TaskID) {
	if row := &l.tasks[t]; l.reclass(t) && row.Job != NoJob {
		l.jobs[row.Job].Changed++
		l.mark(row.Job)
	}
}

// reclass moves a member to the class that its queue's groups and its relations make of
// its spec; true when that is another. Both classes ask for the same amounts.
func (l *Ledger) reclass(t TaskID) bool {
	row := &l.tasks[t]
	if !l.heeds && l.termMatcher == nil || row.Job == NoJob || row.Unsound {
		return false
	}
	groups, kin := l.groupsFor(row), l.matchedTermsFor(t, row)
	if is := l.classes[row.Class].Spec; is.Groups.Equal(groups) && slices.Equal(is.MatchedTerms, kin) {
		return false
	}
	spec := *row.Pod.Spec
	spec.Groups, spec.MatchedTerms = groups, kin
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

// matchedTermsForm is what relations add to the form of a class.
func matchedTermsForm(kin []int64) string {
	if len(kin) == 0 {
		return ""
	}
	var w model.Form
	w.Part()
	for _, k := range kin {
		w.Number(k)
	}
	return w.String()
}
