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
func (cs *Classes) HeedMatchedTerms(k TermMatcher) { cs.termMatcher = k }

// RematchTerms gives a waiting pod the class for the terms that it matches now. What was found about its job
// may not hold any more.
func (cs *Classes) RematchTerms(t TaskID) {
	if row := &cs.l.Tasks.rows[t]; cs.reclass(t) && row.Job != NoJob {
		cs.l.Jobs.rows[row.Job].Changed++
		cs.l.Changes.mark(row.Job)
		cs.l.Changes.roomEpoch++
	}
}

// Recast is RematchTerms where the terms change scores only: no other waiting task gets a new chance.
func (cs *Classes) Recast(t TaskID) {
	if row := &cs.l.Tasks.rows[t]; cs.reclass(t) && row.Job != NoJob {
		cs.l.Jobs.rows[row.Job].Changed++
		cs.l.Changes.mark(row.Job)
	}
}

// reclass moves a member to the class for its spec, its queue's groups and its matched terms; true when that
// is another class. Both classes ask for the same amounts.
func (cs *Classes) reclass(t TaskID) bool {
	row := &cs.l.Tasks.rows[t]
	if !cs.l.Queues.heeds && cs.termMatcher == nil || row.Job == NoJob || row.Unsound {
		return false
	}
	groups, terms := cs.groupsFor(row), cs.matchedTermsFor(t, row)
	if is := cs.rows[row.Class].Spec; is.Groups.Equal(groups) && slices.Equal(is.MatchedTerms, terms) {
		return false
	}
	spec := *row.Pod.Spec
	spec.Groups, spec.MatchedTerms = groups, terms
	was := row.Class
	row.Class = cs.of(&spec, false)
	cs.drop(was)
	return true
}

func (cs *Classes) groupsFor(row *Task) *model.NodeGroups {
	if !cs.l.Queues.heeds || row.Job == NoJob || cs.l.Jobs.rows[row.Job].Queue == NoQueue {
		return nil
	}
	return cs.l.Queues.rows[cs.l.Jobs.rows[row.Job].Queue].groups
}

func (cs *Classes) matchedTermsFor(t TaskID, row *Task) []int64 {
	if cs.termMatcher == nil || row.Pod.Phase.Finished() {
		return nil
	}
	return cs.termMatcher.MatchedTerms(t, row)
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
