package loop

import (
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/devices"
)

// leftovers gives back what claims of waiting pods have that were made for extended resources by a scheduler that
// ended. A pod that is placed gets a claim of its own, and the old one is deleted then; one that waits for something
// else would keep the devices from all others for as long as it waits.
type leftovers struct {
	looked time.Time
	since  map[string]time.Time // by the UID of a claim: when it was seen first, or was to be deleted last
}

// A claim is given back once it was left for so long: by then the API server has given up whatever the scheduler
// before had sent, so that no binding which counts on the claim can come any more.
const (
	leftFor     = time.Minute
	lookForLeft = 5 * time.Second
)

// giveBack has claims deleted that are left for long enough; one that is there still a minute later, again.
func (bg *background) giveBack(now time.Time) {
	left := &bg.leftovers
	if now.Sub(left.looked) < lookForLeft {
		return
	}
	since := map[string]time.Time{}
	for _, c := range devices.Leftovers(bg.l.engine.Ledger()) {
		first, known := left.since[c.Claimed.UID]
		if !known {
			first = now
		}
		if now.Sub(first) >= leftFor {
			klog.InfoS("A claim that was made for a pod before is given back: the pod waits", "pod", c.Pod, "claim", c.Name)
			bg.l.executor.GiveBack(c)
			first = now
		}
		since[c.Claimed.UID] = first
	}
	left.looked, left.since = now, since
}
