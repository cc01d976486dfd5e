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

// rules are what the actions that evict for somebody ask for, by name.
var rules = map[string]func(*session.Session) victims.Rule{
	preempt.Name:     preempt.Rule,
	reclaim.Name:     reclaim.Rule,
	gangpreempt.Name: gangpreempt.Rule,
	gangreclaim.Name: gangreclaim.Rule,
}

// signature is what the answer of an action to a job depends on, besides the state of the
// world; a job that is like no other is named.
type signature struct {
	victims.Signature
	job ledger.JobID
}

// spared is why nobody leaves for a job: of every configured action that evicts, in their
// order, one the Evicting of the one before; nil when the job is not one that others have
// to leave for. It is worked out when a reason is shown, once for all jobs that ask for
// the same, and changes nothing.
func (e *Engine) spared(j ledger.JobID) (first *trace.Reason) {
	if job := e.l.Job(j); !job.Admitted() || job.Waiting() > 0 || !e.policy.Starving(j) {
		return nil
	}
	at := &first
	for _, a := range e.actions {
		rule := rules[a.Name()]
		if rule == nil {
			continue
		}
		if r := e.signatureOf(rule(&e.session), j); r.Is() {
			*at = &r
			at = &r.Evicting
		}
	}
	return first
}

// signatureOf asks one action, unless it has answered the same already.
func (e *Engine) signatureOf(rule victims.Rule, j ledger.JobID) trace.Reason {
	tasks := search.Claimants(&e.session, j)
	if len(tasks) == 0 {
		return trace.Reason{}
	}
	asked, alike := e.session.Victims.SignatureOf(rule, j, tasks)
	p := signature{asked, ledger.NoJob}
	if !alike || search.Near(&e.session, j) {
		p.job = j
	}
	if at := e.session.Situation(); e.fruitlessAt != at || e.fruitless == nil {
		e.fruitlessAt, e.fruitless = at, map[signature]trace.Reason{}
	}
	r, known := e.fruitless[p]
	if !known {
		r = search.WhyNobody(&e.session, rule, j, tasks)
		if !e.session.Victims.PrePredicateFailed() {
			e.fruitless[p] = r
		}
	}
	if r.Is() && p.job == ledger.NoJob { // the answer may be another's
		r.Task = e.l.Task(tasks[0]).Key.String()
	}
	return r
}

// cured says that an eviction could help where a job waits for this.
func cured(c trace.Code) bool {
	switch c {
	case trace.GangIncomplete, trace.QueueOverused, trace.QueueDeserved, trace.QueueCapability:
		return true
	default:
		return c.OfNodes() && c != trace.NoNodes
	}
}
