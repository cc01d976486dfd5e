package sched

import (
	"reflect"
	"slices"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// Asked with little time, jobs are as they are now, each reason is the last that was found, and in turn all are found
// out anew.
func TestJobsAreAskedInTurn(t *testing.T) {
	s := whyStage(t)
	s.e.Decide(second)
	var rows ReportRows
	none := func() bool { return true }
	rows.Jobs(s.e, func() bool { return false })
	s.tell(model.KindNode, "", "n9", &model.Node{Meta: model.Meta{Name: "n9"}, Unschedulable: true})
	s.pod("late", inQueue("other"))
	s.e.Decide(2 * second)
	want := s.e.Questions().Jobs()
	first := rows.Jobs(s.e, none)
	if !slices.ContainsFunc(first, func(j *JobReport) bool { return j.Name == "late" && j.Tasks[model.Pending] == 1 }) {
		t.Error("a pod that came is in no job")
	}
	if reflect.DeepEqual(values(first), want) {
		t.Error("all were asked at once")
	}
	last := first
	for range want {
		last = rows.Jobs(s.e, none)
	}
	if got := values(last); !reflect.DeepEqual(got, want) {
		t.Errorf("after each was asked:\n%+v\nwant\n%+v", got, want)
	}
}

// A job of which nothing waits has a reason once its queue is closed, though the job has not changed.
func TestAReasonComesToAJobOfWhichNothingWaits(t *testing.T) {
	s := whyStage(t)
	s.tell(model.KindPodGroup, "ns", "over", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "over", UID: "over"},
		Queue: "other", Phase: model.GroupUnknown})
	s.pod("over-0", member("over"), running("n1"), func(p *model.Pod) { p.Phase = model.PodUnknown })
	var rows ReportRows
	look := func() trace.Code {
		jobs := rows.Jobs(s.e, func() bool { return false })
		at := slices.IndexFunc(jobs, func(j *JobReport) bool { return j.Name == "over" })
		return jobs[at].Reason.Code
	}
	if code := look(); code != "" {
		t.Errorf("it waits for %s, want nothing", code)
	}
	s.tell(model.KindQueue, "", "other", &model.Queue{Meta: model.Meta{Name: "other", UID: "other"}, Weight: 1,
		State: model.QueueClosed})
	if code := look(); code != trace.QueueNotOpen {
		t.Errorf("its queue is closed, and it waits for %q, want %s", code, trace.QueueNotOpen)
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
