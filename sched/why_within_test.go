package sched

import (
	"reflect"
	"slices"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// Asked with little time, jobs are as they are now, each reason is the last that was found, and in turn all are found
// out anew. Asked with time enough, they are those of Jobs.
func TestJobsWithinTheirTime(t *testing.T) {
	s := whyStage(t)
	s.e.Decide(second)
	s.e.Questions().Jobs()
	s.pod("more", inQueue("other")) // of another job: it makes all refusals older
	s.tell(model.KindNode, "", "n9", &model.Node{Meta: model.Meta{Name: "n9"}, Unschedulable: true})
	s.e.Decide(2 * second)
	s.pod("late", inQueue("other"))
	none := func() bool { return true }
	rows, old, next := s.e.Questions().JobsWithin(0, none)
	if !slices.ContainsFunc(rows, func(j JobReport) bool { return j.Name == "late" && j.Tasks[model.Pending] == 1 }) {
		t.Errorf("a pod that came is not among %+v", rows)
	}
	if len(old) < 2 {
		t.Errorf("all but %d were asked at once", len(old))
	}
	found := make([]trace.Reason, len(rows))
	for range rows {
		for i := range rows {
			if !rows[i].Reason.Is() && rows[i].Name != "holds" {
				t.Errorf("%s waits for no reason", rows[i].Name)
			}
			if !slices.Contains(old, i) {
				found[i] = rows[i].Reason
			}
		}
		rows, old, next = s.e.Questions().JobsWithin(next, none)
	}
	for i, want := range s.e.Questions().Jobs() {
		if !reflect.DeepEqual(found[i], want.Reason) {
			t.Errorf("after each was asked %s waits for %+v, want %+v", want.Name, found[i], want.Reason)
		}
	}
	s.e.Decide(3 * second)
	rows, old, _ = s.e.Questions().JobsWithin(7, func() bool { return false })
	if want := s.e.Questions().Jobs(); len(old) > 0 || !reflect.DeepEqual(rows, want) {
		t.Errorf("with time enough, %d old:\n%+v\nwant\n%+v", len(old), rows, want)
	}
}

// The pods of one job, and those on one node, are those that a report has.
func TestFewPods(t *testing.T) {
	s := whyStage(t)
	s.pod("going", running("n1"), func(p *model.Pod) { p.Deleting = true })
	s.e.Decide(second)
	all := s.e.Questions().Pods()
	only := func(is func(*PodReport) bool) (out []PodReport) {
		for i := range all {
			if is(&all[i]) {
				out = append(out, all[i])
			}
		}
		return out
	}
	for _, job := range []string{"first", "holds", "none"} {
		want := only(func(p *PodReport) bool { return p.Namespace == "ns" && p.Job == job })
		if got := s.e.Questions().PodsOf("ns", job); !reflect.DeepEqual(got, want) || job == "first" && len(got) != 2 {
			t.Errorf("pods of %s: %+v, want %+v", job, got, want)
		}
	}
	for _, node := range []string{"n1", "none"} {
		want := only(func(p *PodReport) bool { return p.Node == node })
		if got := s.e.Questions().PodsOn(node); !reflect.DeepEqual(got, want) || node == "n1" && len(got) != 2 {
			t.Errorf("pods on %s: %+v, want %+v", node, got, want)
		}
	}
}
