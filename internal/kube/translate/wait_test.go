package translate

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

func TestAPodSaysHowLongItRuns(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		want   int64
		faults int
	}{
		"hours and minutes":                  {"1h30m", 5400e9, 0},
		"no time at all is the shortest":     {"0s", 1, 0},
		"a time before now cannot be meant":  {"-1s", 0, 1},
		"a number without a unit is no time": {"90", 0, 1},
		"nothing is said":                    {"", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
			if c.text != "" {
				p.Annotations = map[string]string{"ashlar.sh/duration": c.text}
			}
			got := Pod(p, Options{})
			if got.Rare().Lasts != c.want || len(got.Faults) != c.faults {
				t.Errorf("%d ns, faults %v; want %d and %d", got.Rare().Lasts, got.Faults, c.want, c.faults)
			}
		})
	}
}

func TestAPodsLimit(t *testing.T) {
	for name, c := range map[string]struct {
		seconds *int64
		want    int64
		faults  int
	}{
		"no limit":                            {nil, 0, 0},
		"an hour":                             {new(int64(3600)), 3600e9, 0},
		"a limit below 1 cannot be meant":     {new(int64(-1)), 0, 1},
		"more than the API server would take": {new(int64(1 << 40)), 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			got := Pod(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"},
				Spec: corev1.PodSpec{ActiveDeadlineSeconds: c.seconds, SchedulerName: "another"}}, Options{})
			if got.Rare().Limit != c.want || len(got.Faults) != c.faults {
				t.Errorf("%d ns, faults %v; want %d and %d", got.Rare().Limit, got.Faults, c.want, c.faults)
			}
		})
	}
}

func TestAPodGroupSaysHowLongItsPodsRun(t *testing.T) {
	for text, want := range map[string]int64{"1h": 3600e9, "-1s": 0, "soon": 0} {
		g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Name: "g",
			Annotations: map[string]string{"ashlar.sh/duration": text}}}
		if got := PodGroup(g); got.Lasts != want || (len(got.Faults) == 0) != (want != 0) {
			t.Errorf("%s: %d ns, faults %v", text, got.Lasts, got.Faults)
		}
	}
}
