package loop

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// poison is a plugin that panics on jobs with names that begin so.
type poison struct{ l *ledger.Ledger }

func (p poison) ValidateJob(j ledger.JobID) trace.Reason {
	job := p.l.Job(j)
	if _, aside := setAside(job); !aside && strings.HasPrefix(job.Key.Name, "poison") {
		panic("poison in " + job.Key.Name)
	}
	return trace.Reason{}
}

func setAside(job *ledger.Job) (model.Fault, bool) {
	if job.Group == nil {
		return model.Fault{}, job.Invalid > 0
	}
	return job.Group.SetAside()
}

func poisoned(t *testing.T) func() *sched.Engine {
	return func() *sched.Engine {
		e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate"},
			Tiers: [][]policy.Choice{{{Plugin: "poison"}, {Plugin: "gang"}, {Plugin: "proportion"}}}},
			sched.WithPlugin(policy.Definition{Name: "poison", New: func(_ policy.Choice, l *ledger.Ledger) (any, error) {
				return poison{l}, nil
			}}))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
}

// world is a node, a queue and jobs of one pod each, of the names given.
func world(names ...string) recording.State {
	fact := func(kind model.Kind, ns, name string, o model.Object) model.Fact {
		return model.Fact{Ref: model.Ref{Kind: kind, Namespace: ns, Name: name}, UID: name, Version: 1, Object: o}
	}
	room := resource.List{{Name: "cpu", Value: 64_000}, {Name: "pods", Value: 110}}
	s := recording.State{Now: 1, Facts: []model.Fact{
		fact(model.KindQueue, "", "root", &model.Queue{Meta: model.Meta{Name: "root", UID: "root"}, Weight: 1}),
		fact(model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default", UID: "default"}, Weight: 1}),
		fact(model.KindNode, "", "n", &model.Node{Meta: model.Meta{Name: "n", UID: "n"}, Allocatable: room, Capacity: room}),
	}}
	spec := &model.Spec{Requests: resource.List{{Name: "cpu", Value: 1000}, {Name: "pods", Value: 1}}}
	for _, name := range names {
		meta := model.Meta{Namespace: "ns", Name: name, UID: name}
		p := &model.Pod{Meta: meta, Ours: true, Index: -1, Spec: spec, Adopt: model.Adopt{MinMember: 1}}
		if !strings.Contains(name, "adopted") {
			s.Facts = append(s.Facts, fact(model.KindPodGroup, "ns", name,
				&model.PodGroup{Meta: meta, Queue: "default", MinMember: 1}))
			p.Group = name
		}
		s.Facts = append(s.Facts, fact(model.KindPod, "ns", name, p))
	}
	return s
}

// A cycle that panics because of one job goes on without it: the others are placed, and
// the job says what became of it.
func TestTheJobThatMakesACyclePanicIsSetAside(t *testing.T) {
	for name, culprit := range map[string]string{"a PodGroup": "poison", "a pod without one": "poison-adopted"} {
		t.Run(name, func(t *testing.T) {
			s, fresh := world("a", "b", culprit, "c", "z"), poisoned(t)
			var a leftOut
			job, found := a.blame(s, fresh)
			if !found || job.Name != culprit {
				t.Fatalf("to blame is %v (found: %t), want %s", job, found, culprit)
			}
			e := fresh()
			a.feed(e, s)
			plan, _, _ := e.Decide(1)
			bound := map[string]bool{}
			for _, i := range plan.Items {
				if i.Kind == sched.BindPod {
					bound[i.Pod.Name] = true
				}
			}
			if len(bound) != 4 || bound[culprit] {
				t.Errorf("bound are %v, want all but %s", bound, culprit)
			}
		})
	}
}

func TestNoObjectIsBlamedWithoutProof(t *testing.T) {
	for name, s := range map[string]recording.State{
		"a cycle that does not panic":      world("a", "b"),
		"two jobs that each make it panic": world("a", "poison-1", "poison-2"),
		"no jobs at all":                   world(),
	} {
		t.Run(name, func(t *testing.T) {
			var a leftOut
			if job, found := a.blame(s, poisoned(t)); found {
				t.Errorf("to blame is %v, want no job", job)
			}
		})
	}
}

// What is saved when a cycle panics gives the same cycle again.
func TestASavedStateDecidesTheSame(t *testing.T) {
	fresh, s := poisoned(t), world("a", "b", "c-adopted")
	path, err := recording.Save(t.TempDir(), "panic", s)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var read recording.State
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	decide := func(s recording.State) sched.Plan {
		e := fresh()
		feed(e, s, nil)
		plan, _, _ := e.Decide(s.Now)
		return plan
	}
	if got, want := decide(read), decide(s); !reflect.DeepEqual(got, want) || len(want.Items) == 0 {
		t.Errorf("read again it decides\n%+v, want\n%+v", got, want)
	}
}

// The folder itself is made, those above it are not.
func TestAFolderThatCannotBeMadeSavesNothingAndSaysSo(t *testing.T) {
	if _, err := recording.Save(filepath.Join(t.TempDir(), "nowhere", "dumps"), "panic", recording.State{}); err == nil {
		t.Error("no error, want one that names the folder")
	}
}
