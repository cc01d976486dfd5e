package loop

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// asks is a PodGroup with annotations, as key and value.
func asks(name string, annotations ...string) *schedulingv1beta1.PodGroup {
	g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name),
		Annotations: map[string]string{}}}
	for i := 0; i < len(annotations); i += 2 {
		g.Annotations[annotations[i]] = annotations[i+1]
	}
	return g
}

// What is written on a PodGroup follows from the newest estimate and from what is written there, so that nothing has to
// be remembered over a restart.
func TestWhenAPodGroupIsToldItsStart(t *testing.T) {
	began := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	at := func(d time.Duration) int64 { return began.Add(d).UnixNano() }
	key := ledger.JobKey{Namespace: "ns", Name: "train"}
	starts := func(made, latest time.Duration) *estimate.Starts {
		return &estimate.Starts{Made: at(made), Jobs: map[ledger.JobKey]trace.Start{key: {Made: at(made),
			Earliest: at(time.Hour), Latest: at(latest), Source: model.TimeDeclared}}}
	}
	told := func(made, latest time.Duration) string {
		return persisted.Start{Made: began.Add(made), Earliest: began.Add(time.Hour), Latest: began.Add(latest),
			Source: "declared"}.Text()
	}
	unknown := func(made time.Duration) string {
		return persisted.Start{Made: began.Add(made), Unknown: string(trace.PodsNotMade)}.Text()
	}
	const ask, tell = persisted.TellStart, persisted.StartKey
	for name, c := range map[string]struct {
		group *schedulingv1beta1.PodGroup
		is    *estimate.Starts
		now   time.Duration
		want  string // "-": nothing
	}{
		"at first": {asks("train", ask, "true"), starts(0, 2*time.Hour), 0, told(0, 2*time.Hour)},
		"it has not moved": {asks("train", ask, "true", tell, told(0, 2*time.Hour)), starts(10*time.Minute, 2*time.Hour),
			10 * time.Minute, "-"},
		"it has moved": {asks("train", ask, "true", tell, told(0, 2*time.Hour)), starts(10*time.Minute, 3*time.Hour),
			10 * time.Minute, told(10*time.Minute, 3*time.Hour)},
		"it has moved within a minute": {asks("train", ask, "true", tell, told(0, 2*time.Hour)),
			starts(30*time.Second, 3*time.Hour), time.Minute, "-"},
		"it was not known": {asks("train", ask, "true", tell, unknown(0)), starts(time.Second, 2*time.Hour), time.Second,
			told(time.Second, 2*time.Hour)},
		"it is not known any more within a minute": {asks("train", ask, "true", tell, told(0, 2*time.Hour)),
			&estimate.Starts{Made: at(time.Second), Jobs: map[ledger.JobKey]trace.Start{key: {Made: at(time.Second),
				Unknown: trace.PodsNotMade}}}, time.Second, "-"},
		"it is not known for another reason within a minute": {asks("train", ask, "true", tell, unknown(0)),
			&estimate.Starts{Made: at(time.Second), Jobs: map[ledger.JobKey]trace.Start{key: {Made: at(time.Second),
				Unknown: trace.DoesNotStart}}}, time.Second, "-"},
		"it was edited": {asks("train", ask, "true", tell, "tomorrow"), starts(0, 2*time.Hour), 0,
			told(0, 2*time.Hour)},
		"it was dated ahead": {asks("train", ask, "true", tell, told(99*time.Hour, 5*time.Hour)),
			starts(0, 2*time.Hour), 0, told(0, 2*time.Hour)},
		"it has passed": {asks("train", ask, "true", tell, told(0, 2*time.Hour)), starts(time.Hour, 2*time.Hour),
			3 * time.Hour, `{"made":"2026-03-02T10:00:00Z","unknown":"Passed"}`},
		"it is asked for no more": {asks("train", tell, told(0, 2*time.Hour)), starts(0, 2*time.Hour), 0, ""},
		"it is not asked for":     {asks("train", ask, "false"), starts(0, 2*time.Hour), 0, "-"},
		"it does not wait": {asks("other", ask, "true", tell, told(0, 2*time.Hour)), starts(0, 2*time.Hour),
			0, "-"},
		"it cannot be meant": {asks("train", ask, "1s"), starts(0, 2*time.Hour), 0, "-"},
	} {
		c.group.UID = "" // the estimate is of an adopted job's life, which has none
		got, write := dueStart(c.is, c.group, at(c.now))
		if text := got.text; write != (c.want != "-") || write && text != c.want {
			t.Errorf("%s: %q is written: %t, want %q", name, text, write, c.want)
		}
	}
	if _, write := dueStart(starts(0, 2*time.Hour), asks("train", ask, "true"), at(0)); write {
		t.Error("a PodGroup that was made anew is told of an earlier one")
	}
}

// A tenant with any number of PodGroups that ask keeps no other from being told, and the number of writes is bounded.
func TestTenantsAreToldInTurn(t *testing.T) {
	var all []startToWrite
	for i := range 1000 {
		w := startToWrite{group: asks(fmt.Sprintf("many-%04d", i))}
		w.group.Namespace = "hostile"
		all = append(all, w)
	}
	for i, name := range []string{"train", "next"} {
		all = append(all, startToWrite{group: asks(name), last: time.Unix(int64(1000*i), 0)})
	}
	got := acrossNamespaces(all, 4)
	var names []string
	for _, w := range got {
		names = append(names, w.group.Name)
	}
	if want := "[many-0000 train many-0001 next]"; fmt.Sprint(names) != want {
		t.Errorf("told are %v, want %s", names, want)
	}
}
