package loop

import (
	"time"

	"k8s.io/klog/v2"
)

// Every figure is recounted from scratch now and then, for at most a thousandth of the
// time.
const (
	auditEvery = 5 * time.Minute
	mostWrong  = 10 // findings that are logged
)

// audit recounts, if it is time. What it finds is a bug: it is counted, logged and
// saved, and the engine is made anew from what is known.
func (l *loop) audit() {
	pause := max(auditEvery, 1000*l.auditing)
	if time.Since(l.auditAt) < pause {
		return
	}
	began := time.Now()
	findings := l.engine.Audit()
	l.auditAt, l.auditing = time.Now(), time.Since(began)
	l.metrics.audits.Inc()
	if len(findings) == 0 {
		return
	}
	l.metrics.wrong.Add(float64(len(findings)))
	for _, f := range findings[:min(len(findings), mostWrong)] {
		klog.ErrorS(nil, "A figure is wrong: this is a bug in ashlar", "finding", f)
	}
	l.blind = true
	l.recoverFrom()
}
