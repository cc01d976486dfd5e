package sched

import (
	"ashlar.sh/sched/actions/gangpreempt"
	"ashlar.sh/sched/actions/gangreclaim"
	"ashlar.sh/sched/actions/preempt"
	"ashlar.sh/sched/actions/reclaim"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/victims"
)

// fruitlessSearches remembers for which jobs no victims were found.
type fruitlessSearches struct {
	e *Engine

	fruitless map[signature]trace.Reason // by signature, why no eviction helps a job, as found in state fruitlessAt
	at        session.Situation
}

// rules are the victim rules of the actions that evict for a job, by action name.
var rules = map[string]func(*session.Session) victims.Rule{
	preempt.Name:     preempt.Rule,
	reclaim.Name:     reclaim.Rule,
	gangpreempt.Name: gangpreempt.Rule,
	gangreclaim.Name: gangreclaim.Rule,
}

// signature is what an action's answer to a job depends on, besides the state of the cluster. A job with an
// answer of its own is named in it.
type signature struct {
	victims.Signature
	job ledger.JobID
}

// spared returns why no eviction helps a job: one reason for each configured action that evicts, in their
// order, each the Evicting of the one before; nil when the job is not one to evict for. It is computed when a
// reason is shown, once for all jobs with equal requests, and changes nothing.
func (fs *fruitlessSearches) spared(j ledger.JobID) (first *trace.Reason) {
	if job := fs.e.l.Job(j); !job.Admitted() || job.Waiting() > 0 || !fs.e.policy.Eviction.Starving(j) {
		return nil
	}
	at := &first
	for _, a := range fs.e.actions {
		rule := rules[a.Name()]
		if rule == nil {
			continue
		}
		if r := fs.signatureOf(rule(&fs.e.session), j); r.Is() {
			*at = &r
			at = &r.Evicting
		}
	}
	return first
}

// signatureOf asks one action, unless it has answered for the same signature already.
func (fs *fruitlessSearches) signatureOf(rule victims.Rule, j ledger.JobID) trace.Reason {
	tasks := search.Claimants(&fs.e.session, j)
	if len(tasks) == 0 {
		return trace.Reason{}
	}
	asked, alike := fs.e.session.Victims.SignatureOf(rule, j, tasks)
	p := signature{asked, ledger.NoJob}
	if !alike || search.Near(&fs.e.session, j) {
		p.job = j
	}
	if at := fs.e.session.Situation(); fs.at != at || fs.fruitless == nil {
		fs.at, fs.fruitless = at, map[signature]trace.Reason{}
	}
	r, known := fs.fruitless[p]
	if !known {
		r = search.WhyNobody(&fs.e.session, rule, j, tasks)
		if !fs.e.session.Victims.Result.PrePredicateFailed() {
			fs.fruitless[p] = r
		}
	}
	if r.Is() && p.job == ledger.NoJob { // the answer may be that of another job
		r.Task = fs.e.l.Task(tasks[0]).Key.String()
	}
	return r
}

// cured says that an eviction could help a job that waits for this reason.
func cured(c trace.Code) bool {
	switch c {
	case trace.GangIncomplete, trace.QueueOverused, trace.QueueDeserved, trace.QueueCapability:
		return true
	default:
		return c.OfNodes() && c != trace.NoNodes
	}
}
