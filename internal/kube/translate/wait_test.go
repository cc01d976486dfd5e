package translate

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
