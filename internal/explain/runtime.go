package explain

import "ashlar.sh/sched/model"

// RunTime is how long a pod runs from its start, and where that figure comes from. Limit is when its node ends
// it at the latest, grace included. Expected is its author's guess, longer by itself for each time that it was
// outlived, and never longer than Limit; without a guess it is Limit. Source is enforced where Expected is Limit,
// declared or runningEstimate for a guess, predicted for what earlier runs took.
type RunTime struct {
	Limit    Duration `json:"limit,omitempty"`
	Expected Duration `json:"expected,omitempty"`
	Source   string   `json:"source"`
}

func runTime(r model.RunTime) *RunTime {
	if r == (model.RunTime{}) {
		return nil
	}
	return &RunTime{Limit: Duration(r.Limit), Expected: Duration(r.Expected), Source: r.Source.String()}
}
