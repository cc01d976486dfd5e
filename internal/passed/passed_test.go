package passed

import (
	"fmt"
	"slices"
	"testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// Between two looks a bounded number of starts is kept, those of the jobs that came last.
func TestStartsThatAreKeptAreBounded(t *testing.T) {
	e, err := sched.New(policy.Profile{Actions: []string{"allocate"}})
	if err != nil {
		t.Fatal(err)
	}
	e.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPodGroup, Namespace: "ns", Name: "waits"}, UID: "1", Version: 1,
		Object: &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "waits", UID: "1"}, Queue: "ml", MinMember: 2}})
	l := e.Ledger()
	j, _ := l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "waits"})
	var p Jobs
	for i := range 10 * mostStarts {
		l.Job(j).Created = int64(i)
		p.note(l, j, fmt.Sprint("n", i), int64(i))
		p.note(l, j, fmt.Sprint("n", i), int64(i+1)) // the same once more
	}
	of := p.starts["ml"]
	if len(of) != mostStarts || slices.ContainsFunc(of, func(s laterStart) bool { return s.created < 9*mostStarts }) {
		t.Errorf("%d are kept: %v", len(of), of)
	}
}
