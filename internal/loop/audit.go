package loop

import (
	"sync"
	"time"

	"k8s.io/klog/v2"
)

// background is what happens between the cycles (rounds of reports, audits, dumps) and beside them, and the recorder by
// which the loop uses the engine.
type background struct {
	l *loop

	afterAt  time.Time     // when the last round of statuses and events began
	after    time.Duration // how long rounds take: see tookRound
	last     time.Duration // how long it took
	rest     time.Time     // no round before this time: after panics in a row
	auditAt  time.Time
	auditing time.Duration // how long the last audit took
	dumping  sync.Mutex    // held while a dump is written
	copying  chan struct{} // has a place for the copy of the engine that is made or used, but for that of plans

	leftovers leftovers
	questions *questions
	estimates estimates
	searches  searches
	plans     plans
	passed    passedJobs
	usage     usageSaver
}

// Every figure is recounted from scratch now and then, for at most a thousandth of the
// time.
const (
	auditEvery = 5 * time.Minute
	mostWrong  = 10 // findings that are logged
)

// audit recounts, if it is time. What it finds is a bug: it is counted, logged and
// saved, and the engine is made anew from what is known.
func (bg *background) audit() {
	pause := max(auditEvery, 1000*bg.auditing)
	if time.Since(bg.auditAt) < pause {
		return
	}
	began := time.Now()
	findings := bg.l.engine.Audit()
	bg.auditAt, bg.auditing = time.Now(), time.Since(began)
	bg.l.metrics.audits.Inc()
	if len(findings) == 0 {
		return
	}
	bg.l.metrics.violated(figuresHold, len(findings))
	for _, f := range findings[:min(len(findings), mostWrong)] {
		klog.ErrorS(nil, "A figure is wrong: this is a bug in ashlar", "finding", f)
	}
	bg.l.input.recorder.broken("audit")
	bg.l.rebuilds.blind = true
	bg.l.rebuilds.recoverFrom()
}
