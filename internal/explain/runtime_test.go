package explain

import (
	"encoding/json"
	"strings"
	"testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

func TestTheReportSaysHowLongPodsRun(t *testing.T) {
	const minute = int64(60_000_000_000)
	r := New(sched.Report{
		Jobs: []sched.JobReport{{Name: "j", RunTime: model.RunTime{Limit: 60 * minute, Expected: 40 * minute,
			Source: model.TimeDeclared}}},
		Pods: []sched.PodReport{{Name: "p", RunTime: model.RunTime{Limit: 60 * minute, Expected: 60 * minute,
			Source: model.TimeEnforced}}, {Name: "silent"}},
	}, Summary{}, nil)
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"runTime":{"limit":"1h0m0s","expected":"40m0s","source":"declared"}`,
		`"runTime":{"limit":"1h0m0s","expected":"1h0m0s","source":"enforced"}`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
	if n := strings.Count(string(text), "runTime"); n != 2 {
		t.Errorf("%d of 3 know how long they run, want 2", n)
	}
}
