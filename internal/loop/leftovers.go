package loop

import (
	"slices"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/devices"
)

// leftovers gives back claims that were made for extended resources and that their pods do not use. When a pod is
// placed, a claim is made for it and old ones are deleted. A pod that waits for something else would keep the devices
// of the claim of a scheduler that ended from all others for as long as it waits. And a claim that a request without an
// answer makes late, once its pod is bound with another, would count in a quota for as long as the pod runs.
type leftovers struct {
	looked time.Time
	since  map[string]time.Time // by the UID of a claim: when it was seen first, or was to be deleted last
}

// A claim is given back once it was left for so long: by then the API server has given up whatever the scheduler
// before had sent, so that no binding which counts on the claim can come any more.
// A tenant can make claims that look like it, though none that have devices: of those without, only so many are seen to
// at a time, after all that have devices, and of both those of each namespace in turn.
const (
	leftFor     = time.Minute
	lookForLeft = 5 * time.Second
	mostEmpty   = 8
)

// giveBack has claims deleted that are left for long enough; one that is there still a minute later, again.
func (bg *background) giveBack(now time.Time) {
	left := &bg.leftovers
	if now.Sub(left.looked) < lookForLeft {
		return
	}
	since, due, empty := map[string]time.Time{}, []devices.Leftover(nil), []devices.Leftover(nil)
	for _, c := range devices.Leftovers(bg.l.engine.Ledger()) {
		first, known := left.since[c.Claimed.UID]
		if !known {
			first = now
		}
		since[c.Claimed.UID] = first
		switch {
		case now.Sub(first) < leftFor:
		case c.Empty:
			empty = append(empty, c)
		default:
			due = append(due, c)
		}
	}
	inTurn(due, since)
	inTurn(empty, since)
	for _, c := range append(due, empty[:min(len(empty), mostEmpty)]...) {
		klog.V(2).InfoS("A claim that was made for a pod is looked at, and deleted unless the pod uses it", "pod", c.Pod,
			"claim", c.Name, "bound", c.Bound)
		bg.l.executor.GiveBack(c)
		since[c.Claimed.UID] = now
	}
	left.looked, left.since = now, since
}

// inTurn puts those first that were seen first, the first ones of all namespaces before the second ones: what one
// tenant makes holds up no claim of another.
func inTurn(list []devices.Leftover, since map[string]time.Time) {
	slices.SortStableFunc(list, func(a, b devices.Leftover) int {
		return since[a.Claimed.UID].Compare(since[b.Claimed.UID])
	})
	before, turn := map[string]int{}, map[string]int{} // how many of its namespace are before a claim
	for _, c := range list {
		turn[c.Claimed.UID] = before[c.Pod.Namespace]
		before[c.Pod.Namespace]++
	}
	slices.SortStableFunc(list, func(a, b devices.Leftover) int { return turn[a.Claimed.UID] - turn[b.Claimed.UID] })
}
