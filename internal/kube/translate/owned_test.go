package translate

import (
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"ashlar.sh/sched/model"
)

func TestWhatOwnersAddToAPod(t *testing.T) {
	const queue, least = "scheduling.volcano.sh/queue-name", "scheduling.volcano.sh/group-min-member"
	train := Owner{schema.GroupKind{Group: "batch", Kind: "Job"}, "train", "j1"}
	both := Said{Queue: "research", MinMember: "4", Job: train}
	notANumber := model.Fault{Field: "metadata.annotations[" + least + "]",
		Message: `"many" is not a number of pods: 1 taken`}
	for name, c := range map[string]struct {
		annotations map[string]string
		said        Said
		want        model.Adopt
		owner       string
		faults      []model.Fault
	}{
		"it says nothing": {nil, both, model.Adopt{Queue: "research", MinMember: 4}, "train", nil},
		"it says its queue": {map[string]string{queue: "own"}, both, model.Adopt{Queue: "own", MinMember: 4},
			"train", nil},
		"it says how many": {map[string]string{least: "2"}, both, model.Adopt{Queue: "research", MinMember: 2},
			"direct", nil},
		"its owners say nothing": {nil, Said{}, model.Adopt{Queue: "dq", MinMember: 1}, "direct", nil},
		"they say what cannot be meant": {nil, Said{MinMember: "many", Job: train}, model.Adopt{Queue: "dq", MinMember: 1},
			"train", []model.Fault{notANumber}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &model.Pod{Owner: "direct", OwnerID: "direct", Adopt: model.Adopt{Queue: "dq", MinMember: 1}}
			if text, ok := c.annotations[queue]; ok {
				p.Adopt.Queue = text
			}
			if c.annotations[least] != "" {
				p.Adopt.MinMember = 2
			}
			before := *p
			got := Owned(p, LacksOf(c.annotations), c.said)
			if want := map[string]string{"train": "Job.batch/j1", "direct": "direct"}[c.owner]; got.OwnerID != want {
				t.Errorf("its owner is %q, want %q", got.OwnerID, want)
			}
			if got.Adopt != c.want || got.Owner != c.owner || !reflect.DeepEqual(got.Faults, c.faults) {
				t.Errorf("it asks for %+v of %s with %v, want %+v of %s with %v", got.Adopt, got.Owner, got.Faults, c.want, c.owner,
					c.faults)
			}
			if !reflect.DeepEqual(*p, before) {
				t.Error("the pod that was given is written to")
			}
		})
	}
}
