package persisted

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// TellStart is the annotation by which the owner of a PodGroup asks to be told in StartKey when the job starts: "true",
// or by how much an estimate has to move before it is written anew, such as 10m.
const TellStart = "ashlar.sh/tell-start"

// StartKey is the annotation in which it is told.
const StartKey = "ashlar.sh/start"

// LeastStep is by how much an estimate has to move at least before it is written anew.
const LeastStep = time.Minute

// Start is when a job that waits starts, as was estimated at a time. Earliest and Latest are zero where they are not
// known, and Unknown is the code of why. It names no other job: tenants read it.
type Start struct {
	Made     time.Time `json:"made"`
	Earliest time.Time `json:"earliest,omitzero"`
	Latest   time.Time `json:"latest,omitzero"`
	Source   string    `json:"source,omitempty"`
	Unknown  string    `json:"unknown,omitempty"`
}

// Text is the annotation's value.
func (s Start) Text() string {
	text, _ := json.Marshal(s) // texts and times of this era
	return string(text)
}

// ReadStart reads an annotation's value; false where it is none that a scheduler wrote.
func ReadStart(text string) (s Start, ok bool) {
	if len(text) > longest || json.Unmarshal([]byte(text), &s) != nil || s.Made.IsZero() {
		return Start{}, false
	}
	return s, true
}

// TellsStart reads TellStart: by how much an estimate has to move before it is written anew, 0 for a tenth of the time
// that is ahead, and whether it is asked for at all.
func TellsStart(annotations map[string]string) (step time.Duration, asked bool, err error) {
	text, there := annotations[TellStart]
	if !there {
		return 0, false, nil
	}
	if yes, err := strconv.ParseBool(text); err == nil {
		return 0, yes, nil
	}
	if step, err = time.ParseDuration(text); err != nil || step < LeastStep {
		return 0, false, fmt.Errorf("it is not true, false or a time of at least %s, such as 10m", LeastStep)
	}
	return step, true, nil
}

// Moved says that an estimate differs from another one by so much that it is to be told: in what is known, or by more
// than a step.
func (s Start) Moved(to Start, step time.Duration) bool {
	if step == 0 {
		ahead := to.Latest
		if ahead.IsZero() {
			ahead = to.Earliest
		}
		step = ahead.Sub(to.Made) / 10
	}
	step = max(step, LeastStep)
	far := func(a, b time.Time) bool { return a.IsZero() != b.IsZero() || a.Sub(b).Abs() > step }
	return s.Source != to.Source || s.Unknown != to.Unknown || far(s.Earliest, to.Earliest) || far(s.Latest, to.Latest)
}
