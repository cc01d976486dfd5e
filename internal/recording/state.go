package recording

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// format is the number of the format in which this version saves states. A version ignores fields that it
// does not know, so the number is raised only when an existing field gets another meaning; this
// version reads its own format and all earlier ones.
const format = 1

// State is what an engine was about to decide on: with the profile, all that is needed to run the same
// cycle again.
type State struct {
	Format      int           `json:",omitempty"` // 0: saved before formats had numbers; it is read as 1
	Version     string        `json:",omitempty"` // of the scheduler that saved it
	Now         int64         // nanoseconds since the epoch
	Period      time.Duration `json:",omitempty"` // --schedule-period
	Facts       []model.Fact
	Commitments sched.Commitments
	// Configuration is the text of the configuration file in effect; "": Volcano's default.
	Configuration string `json:",omitempty"`

	// UTCOffset is the offset for hours to which the configuration gives none, as +08:00; "": UTC.
	UTCOffset string `json:",omitempty"`

	// LeftOut counts by kind the facts that were not read because only a newer version knows their
	// kind.
	LeftOut map[model.Kind]int `json:"-"`
}

// Pace is the setting by which an engine places pods above minimums at the same times as the saved one.
func (s *State) Pace() sched.Option { return Pace(s.Period) }

// calm is how long nothing has to come until pods above their gangs' minimums are placed,
// where no gang lacks its minimum; where one does they wait for a period.
const calm = 100 * time.Millisecond

// Pace is that of a live scheduler with such a period.
func Pace(period time.Duration) sched.Option { return sched.WithPeriod(int64(period), int64(calm)) }

// tooNew says that a state has a format that only a newer version knows.
func tooNew(data []byte) error {
	var head struct {
		Format  int
		Version string
	}
	if json.Unmarshal(data, &head) != nil || head.Format <= format {
		return nil
	}
	return fmt.Errorf("read a saved state: it was saved by ashlar %s in format %d, and this version reads up to %d: "+
		"replay it with that version or a newer one",
		cmp.Or(head.Version, "of an unknown version"), head.Format, format)
}

// UnmarshalJSON reads what json.Marshal wrote. Objects that only PluginStates understand are
// those of Kubernetes that they were; of a kind that is not known they are left out.
func (s *State) UnmarshalJSON(data []byte) error {
	var raw struct {
		Format  int
		Version string

		Now         int64
		Period      time.Duration
		Facts       []savedFact
		Commitments sched.Commitments

		Configuration string
		UTCOffset     string
	}
	err := json.Unmarshal(data, &raw)
	if err != nil || raw.Format > format {
		if newer := tooNew(data); newer != nil {
			return newer
		}
	}
	if err != nil {
		return fmt.Errorf("read a saved state: %w", err)
	}
	*s = State{Format: raw.Format, Version: raw.Version, Now: raw.Now, Period: raw.Period, Commitments: raw.Commitments,
		Configuration: raw.Configuration, UTCOffset: raw.UTCOffset}
	for _, r := range raw.Facts {
		if err := s.take(r); err != nil {
			return fmt.Errorf("read %s of a saved state: %w", r.Ref, err)
		}
	}
	return nil
}

// savedFact is a fact; its object is read once its kind is known.
type savedFact struct {
	Ref     model.Ref
	UID     string
	Version uint64
	Object  json.RawMessage
}

func (s *State) take(r savedFact) error {
	f, known, err := r.fact()
	switch {
	case err != nil:
		return err
	case !known:
		if s.LeftOut == nil {
			s.LeftOut = map[model.Kind]int{}
		}
		s.LeftOut[r.Ref.Kind]++
	case f.Object != nil: // it is there
		s.Facts = append(s.Facts, f)
	}
	return nil
}

// fact is what was saved; false if its kind is not known.
func (r savedFact) fact() (f model.Fact, known bool, err error) {
	f = model.Fact{Ref: r.Ref, UID: r.UID, Version: r.Version}
	o := empty(r.Ref.Kind)
	if o == nil {
		return f, false, nil
	}
	if len(r.Object) == 0 || string(r.Object) == "null" {
		return f, true, nil // it is gone
	}
	if err := json.Unmarshal(r.Object, o); err != nil {
		return f, true, err
	}
	if pod, ok := o.(*model.Pod); ok && pod.Opaque != nil {
		var original struct{ Opaque *corev1.Pod }
		if err := json.Unmarshal(r.Object, &original); err != nil {
			return f, true, err
		}
		pod.Opaque = original.Opaque
	}
	f.Object = o
	return f, true, sound(o)
}

// empty is a new object of a kind, nil of one that is not known.
func empty(kind model.Kind) model.Object {
	switch kind {
	case model.KindNode:
		return &model.Node{}
	case model.KindPod:
		return &model.Pod{}
	case model.KindPodGroup:
		return &model.PodGroup{}
	case model.KindQueue:
		return &model.Queue{}
	case model.KindPriorityClass:
		return &model.PriorityClass{}
	case model.KindQuota:
		return &model.Quota{}
	case model.KindBudget:
		return &model.Budget{}
	case model.KindHyperNode:
		return &model.HyperNode{}
	case model.KindNUMA:
		return &model.NUMA{}
	case model.KindService:
		return &model.Service{}
	case model.KindBooking:
		return &model.Booking{}
	case model.KindBackoff:
		return &model.Backoff{}
	case model.KindNamespace:
		return &model.Namespace{}
	}
	if content := translate.Empty(kind); content != nil {
		return &model.Opaque{Content: content}
	}
	return nil
}
