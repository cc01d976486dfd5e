package explain

import "ashlar.sh/sched/trace"

// Hidden stands for a name that the reader may not see.
const Hidden = "*"

// HideQueues takes from a reason, which is the caller's own, the names of queues that its reader may not see; it says
// whether there was one. The amounts stay: they decide about the reader's own job. A job's own queue is named in it.
func HideQueues(r *trace.Reason, own string, named func(queue string) bool) (hid bool) {
	if r == nil || !r.Is() {
		return false
	}
	hide := func(name *string) {
		if *name != "" && *name != own && *name != Hidden && !named(*name) {
			*name, hid = Hidden, true
		}
	}
	hide(&r.Queue)
	if r.Code == trace.QueueOrphaned {
		hide(&r.Text)
	}
	for i := range r.Nodes {
		if v := &r.Nodes[i]; v.Code == trace.VictimGuaranteed {
			if hide(&v.Text); v.Text == Hidden {
				v.Text = "" // the sentence needs no name
			}
		}
	}
	for _, more := range [...]*trace.Reason{r.Cause, r.Evicting, r.Never} {
		hid = HideQueues(more, own, named) || hid
	}
	return hid
}

// AsWritten is a reason as objects carry it, in conditions and events: others read these than may get queues, so no
// queue is named but the job's own, which may be two: the one that its PodGroup names, and the one that it counts in.
func AsWritten(r trace.Reason, own, counts string) trace.Reason {
	named := func(queue string) bool { return queue == counts }
	if !namesQueues(&r) {
		return r
	}
	shown := r.Clone() // the engine goes on with its own
	HideQueues(&shown, own, named)
	return shown
}

// namesQueues says that a reason, or a part of it, is about a queue.
func namesQueues(r *trace.Reason) bool {
	return r != nil && (r.Queue != "" || len(r.Nodes) > 0 || namesQueues(r.Cause) || namesQueues(r.Evicting) ||
		namesQueues(r.Never))
}
