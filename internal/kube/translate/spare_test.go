package translate_test

import (
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// What a PodGroup's annotations say about giving room back.
func TestAGangOnRoomThatIsLent(t *testing.T) {
	for name, c := range map[string]struct {
		annotations map[string]string
		want        model.PodGroup
	}{
		"nothing said": {nil, model.PodGroup{}},
		"marked preemptable": {map[string]string{"volcano.sh/preemptable": "true"},
			model.PodGroup{Preemptable: true}},
		"what is no truth value is no": {map[string]string{"volcano.sh/preemptable": "si"},
			model.PodGroup{Protected: true}},
		"marked not preemptable": {map[string]string{"volcano.sh/preemptable": "false"},
			model.PodGroup{Protected: true}},
		"a number that must run": {map[string]string{"volcano.sh/jdb-min-available": "3"},
			model.PodGroup{MinAvailable: &model.Portion{Value: 3}}},
		"a part that may be away": {map[string]string{"volcano.sh/jdb-max-unavailable": "25%"},
			model.PodGroup{MaxUnavailable: &model.Portion{Value: 25, Percent: true}}},
		"of two the one that must run holds": {map[string]string{"volcano.sh/jdb-min-available": "3",
			"volcano.sh/jdb-max-unavailable": "1"}, model.PodGroup{MinAvailable: &model.Portion{Value: 3}}},
		"what is no number of pods is left out": {map[string]string{"volcano.sh/jdb-min-available": "all"},
			model.PodGroup{Meta: model.Meta{Faults: []model.Fault{{
				Field:   "metadata.annotations[volcano.sh/jdb-min-available]",
				Message: `"all" is neither a number of pods nor a percentage such as 50%: it is left out`}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := translate.PodGroup(&schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Annotations: c.annotations}})
			if !reflect.DeepEqual(*got, c.want) {
				t.Errorf("%+v, want %+v", *got, c.want)
			}
		})
	}
}
