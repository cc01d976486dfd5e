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
		`(?:; permitted by (tier .+?))?; its job (goes as a whole|keeps its minimum)(?:; (queue .*))?$`)
	permittedBy = regexp.MustCompile(`^tier (\d+) \(([^)]*)\)$`)
	queueHeld   = regexp.MustCompile(`^queue \S+ held (.+)$`)
	// Amounts have no exponent, as Quantity writes none: anyone may write an event, and one may be huge.
	dimHeld  = regexp.MustCompile(`^(\S+) (-?[\d.]+(?:[KMGTPE]i)?) \(deserved (-?[\d.]+(?:[KMGTPE]i)?)\)$`)
	leftNode = regexp.MustCompile(`^(\S+): leaves node (\S+): (.*?)(?:; its job (goes as a whole|keeps its minimum))?$`)
)

// ReadEvicted reads what Evicted wrote, as it stands in the event and the condition of an evicted pod: false for
// another text, such as that of another scheduler. What the sentence does not say is left empty: what was held, the
// search, the victim's job (ForJob is empty, too, where it is the same), and of an eviction for another queue the
// priorities and what that queue held.
func ReadEvicted(text string) (*trace.Eviction, bool) {
	if m := leftNode.FindStringSubmatch(text); m != nil {
		return &trace.Eviction{Action: m[1], Node: m[2], Purpose: m[3], Whole: m[4] == "goes as a whole"}, true
	}
	m := madeRoom.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	r := &trace.Eviction{Action: m[1], Node: m[2], Preemptor: m[3], PreemptorJob: m[5], PreemptorQueue: m[6], Queue: m[9],
		Whole: m[11] == "goes as a whole"}
	if m[9] == "" {
		r.Queue = r.PreemptorQueue
		r.PreemptorPriority, r.Priority = priority(m[7]), priority(m[8])
	}
	for i, tier := range strings.Split(m[10], " and ") {
		p := permittedBy.FindStringSubmatch(tier)
		if p == nil {
			break
		}
		n, _ := strconv.Atoi(p[1]) // digits; too many are none of ours
		if plugins := strings.Split(p[2], ", "); i == 0 {
			r.Tier, r.PermittedBy = n, plugins
		} else {
			r.Others = append(r.Others, trace.Permission{Tier: n, Plugins: plugins})
		}
	}
	if held := queueHeld.FindStringSubmatch(m[12]); held != nil {
		r.QueueHeld = readHeld(held[1])
	}
	return r, true
}

// readHeld reads what heldBefore wrote; nil where a part of it is missing.
func readHeld(text string) (out []trace.QueueHeld) {
	for _, part := range strings.Split(text, ", ") {
		m := dimHeld.FindStringSubmatch(part)
		if m == nil {
			return nil
		}
		held, ok := ReadQuantity(m[1], m[2])
		deserved, both := ReadQuantity(m[1], m[3])
		if !ok || !both {
			return nil
		}
		out = append(out, trace.QueueHeld{Dim: m[1], Deserved: deserved, Held: held})
	}
	return out
}

func priority(digits string) int32 {
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return 0
	}
	return int32(n)
}
