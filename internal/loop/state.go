package loop

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// State is what an engine was about to decide on: with the profile, all it takes to
// have the same cycle again.
type State struct {
	Now         int64 // nanoseconds since the epoch
	Facts       []model.Fact
	Commitments sched.Commitments
}

// UnmarshalJSON reads what json.Marshal wrote. Objects that only books understand are
// left out: their content is not written.
func (s *State) UnmarshalJSON(data []byte) error {
	var raw struct {
		Now   int64
		Facts []struct {
			Ref     model.Ref
			UID     string
			Version uint64
			Object  json.RawMessage
		}
		Commitments sched.Commitments
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return fmt.Errorf("read a saved state: %w", err)
	}
	*s = State{Now: raw.Now, Commitments: raw.Commitments}
	for _, r := range raw.Facts {
		f := model.Fact{Ref: r.Ref, UID: r.UID, Version: r.Version}
		switch r.Ref.Kind {
		case model.KindNode:
			f.Object = &model.Node{}
		case model.KindPod:
			f.Object = &model.Pod{}
		case model.KindPodGroup:
			f.Object = &model.PodGroup{}
		case model.KindQueue:
			f.Object = &model.Queue{}
		case model.KindPriorityClass:
			f.Object = &model.PriorityClass{}
		case model.KindQuota:
			f.Object = &model.Quota{}
		case model.KindBudget:
			f.Object = &model.Budget{}
		default:
			continue
		}
		if err := json.Unmarshal(r.Object, f.Object); err != nil {
			return fmt.Errorf("read %s of a saved state: %w", r.Ref, err)
		}
		s.Facts = append(s.Facts, f)
	}
	return nil
}

// save writes a state into a folder and returns the file's path. The last one of a
// process is kept; who runs on panics fills no disk.
func save(dir string, s State) (string, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("save what led to a panic: %w", err)
	}
	path := filepath.Join(dir, fmt.Sprintf("ashlar-panic-%d.json", os.Getpid()))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return "", fmt.Errorf("save what led to a panic: %w", err)
	}
	return path, nil
}
