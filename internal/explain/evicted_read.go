package explain

import (
	"regexp"
	"strconv"
	"strings"

	"ashlar.sh/sched/trace"
)

// What Evicted writes, to be read again: names have no spaces, and a job's may have its owner's kind in parentheses.
var (
	madeRoom = regexp.MustCompile(`^(\S+): makes room on node (\S+) for (\S+) of (job (.+)|the same job) \(queue (\S+), ` +
		`(?:priority (-?\d+) against (-?\d+)|which takes back its due from queue (\S+))\)` +
		`(?:; permitted by tier (\d+) \(([^)]*)\))?; its job (goes as a whole|keeps its minimum)$`)
	leftNode = regexp.MustCompile(`^(\S+): leaves node (\S+): (.*)$`)
)

// ReadEvicted reads what Evicted wrote, as it stands in the event and the condition of an evicted pod: false for
// another text, such as that of another scheduler. What the sentence does not say is left empty: what was held, the
// search, the victim's job (ForJob is empty, too, where it is the same), and of an eviction for another queue the
// priorities.
func ReadEvicted(text string) (*trace.Eviction, bool) {
	if m := leftNode.FindStringSubmatch(text); m != nil {
		return &trace.Eviction{Action: m[1], Node: m[2], Why: m[3]}, true
	}
	m := madeRoom.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	r := &trace.Eviction{Action: m[1], Node: m[2], For: m[3], ForJob: m[5], ForQueue: m[6], Queue: m[9],
		Whole: m[12] == "goes as a whole"}
	if m[9] == "" {
		r.Queue = r.ForQueue
		r.ForPriority, r.Priority = priority(m[7]), priority(m[8])
	}
	if m[10] != "" {
		r.Tier, _ = strconv.Atoi(m[10]) // digits; too many are none of ours
		r.PermittedBy = strings.Split(m[11], ", ")
	}
	return r, true
}

func priority(digits string) int32 {
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return 0
	}
	return int32(n)
}
