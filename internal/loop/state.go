package loop

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// State is what an engine was about to decide on: with the profile, all it takes to
// have the same cycle again.
type State struct {
	Now         int64 // nanoseconds since the epoch
	Facts       []model.Fact
	Commitments sched.Commitments
	// Configuration is the text of the file that held; "": Volcano's default.
	Configuration string `json:",omitempty"`
}

// UnmarshalJSON reads what json.Marshal wrote. Objects that only books understand are
// those of Kubernetes that they were; of a kind that is not known they are left out.
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

		Configuration string
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return fmt.Errorf("read a saved state: %w", err)
	}
	*s = State{Now: raw.Now, Commitments: raw.Commitments, Configuration: raw.Configuration}
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
		case model.KindHyperNode:
			f.Object = &model.HyperNode{}
		case model.KindNUMA:
			f.Object = &model.NUMA{}
		case model.KindNamespace:
			f.Object = &model.Namespace{}
		default:
			content := translate.Empty(r.Ref.Kind)
			if content == nil {
				continue
			}
			f.Object = &model.Opaque{Content: content}
		}
		if string(r.Object) == "null" {
			continue // it is gone
		}
		if err := json.Unmarshal(r.Object, f.Object); err != nil {
			return fmt.Errorf("read %s of a saved state: %w", r.Ref, err)
		}
		if pod, ok := f.Object.(*model.Pod); ok && pod.Opaque != nil {
			var original struct{ Opaque *corev1.Pod }
			if err := json.Unmarshal(r.Object, &original); err != nil {
				return fmt.Errorf("read %s of a saved state: %w", r.Ref, err)
			}
			pod.Opaque = original.Opaque
		}
		if err := sound(f.Object); err != nil {
			return fmt.Errorf("read %s of a saved state: %w", r.Ref, err)
		}
		s.Facts = append(s.Facts, f)
	}
	return nil
}

// largest bounds what is saved, so that a huge cluster fills no disk.
const largest = 1 << 30

// save writes a state into a folder and returns the file's path. Of each occasion the
// last one of a process is kept; who runs on panics fills no disk either.
func save(dir, occasion string, s State) (path string, err error) {
	path = filepath.Join(dir, fmt.Sprintf("ashlar-%s-%d.json", occasion, os.Getpid()))
	f, err := os.CreateTemp(dir, "."+filepath.Base(path))
	if err != nil {
		return "", fmt.Errorf("save the state of the scheduler: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // half a file is of no use
		}
	}()
	w := bufio.NewWriter(&bounded{to: f, left: largest})
	err = errors.Join(json.NewEncoder(w).Encode(s), w.Flush(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return "", fmt.Errorf("save the state of the scheduler: %w", err)
	}
	return path, nil
}

// bounded refuses to write more than is left.
type bounded struct {
	to   io.Writer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(p) > b.left {
		return 0, fmt.Errorf("it has more than %d bytes", largest)
	}
	b.left -= len(p)
	return b.to.Write(p)
}

// ReadState reads a file that a scheduler saved. Its error names the file.
func ReadState(path string) (s State, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return State{}, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return State{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}
