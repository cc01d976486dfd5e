package loop

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// all says of every object that it exists.
func all(string) bool { return true }

// heard notes what is complained of in one look.
func heard(c *reportedProblems, problems ...sched.Problem) (out []string) {
	c.take(problems, all, func(p sched.Problem) bool {
		out = append(out, p.Object+": "+p.Message)
		return true
	})
	return out
}

// What is wrong is said when it has lasted, once; and again when it was mended and came back.
func TestAComplaintIsMadeOnce(t *testing.T) {
	wrong := sched.Problem{Object: "Queue/q", Message: "spec.capability.cpu: -5 is negative"}
	missing := func(n int) sched.Problem {
		return sched.Problem{Object: "Queue/gone", Message: fmt.Sprintf("%d jobs name it", n), Gist: "jobs name it"}
	}
	var c reportedProblems
	for i, look := range []struct {
		problems []sched.Problem
		want     []string
	}{
		{[]sched.Problem{wrong}, nil}, // it may pass
		{[]sched.Problem{wrong, missing(1)}, []string{"Queue/q: spec.capability.cpu: -5 is negative"}},
		{[]sched.Problem{wrong, missing(2)}, []string{"Queue/gone: 2 jobs name it"}},
		{[]sched.Problem{wrong, missing(3)}, nil}, // one job more is nothing new
		{[]sched.Problem{missing(3)}, nil},
		{[]sched.Problem{wrong, missing(3)}, nil},
		{[]sched.Problem{wrong, missing(3)}, []string{"Queue/q: spec.capability.cpu: -5 is negative"}},
	} {
		if got := heard(&c, look.problems...); !slices.Equal(got, look.want) {
			t.Errorf("look %d: said %q, want %q", i+1, got, look.want)
		}
	}
}

// What could not be said for now is said later.
func TestAComplaintThatFindsNoRoomIsMadeLater(t *testing.T) {
	wrong := sched.Problem{Object: "Queue/q", Message: "wrong"}
	var c reportedProblems
	heard(&c, wrong)
	c.take([]sched.Problem{wrong}, all, func(sched.Problem) bool { return false })
	if got := heard(&c, wrong); len(got) != 1 {
		t.Errorf("said %q, want the one that found no room before", got)
	}
	if got := heard(&c, wrong); len(got) != 0 {
		t.Errorf("said %q again", got)
	}
}

// A tenant with thousands of bad objects does not keep others from being told of theirs.
func TestThousandsOfBadObjectsSilenceOnlyTheirOwn(t *testing.T) {
	var problems []sched.Problem
	for i := range 50_000 {
		problems = append(problems, sched.Problem{Object: fmt.Sprintf("PodGroup/crowd/g-%05d", i),
			Message: "spec.minMember: wrong"})
	}
	problems = append(problems, sched.Problem{Object: "PodGroup/zoo/mine", Message: "spec.minMember: wrong"})
	var c reportedProblems
	heard(&c, problems...)
	got := heard(&c, problems...)
	if len(got) != mostOfOne+1 || got[mostOfOne] != "PodGroup/zoo/mine: spec.minMember: wrong" {
		t.Errorf("%d complaints, the last %q; want %d of the crowd's and zoo's one", len(got), got[len(got)-1], mostOfOne)
	}
	if left := c.take(problems, all, nil); left != 50_000-mostOfOne {
		t.Errorf("%d are said to be left out, want %d", left, 50_000-mostOfOne)
	}
}

// A tenant that names queues by the hundred that do not exist does not keep what is wrong with
// a queue that exists from being said.
func TestQueuesThatDoNotExistSilenceNoneThatDoes(t *testing.T) {
	var problems []sched.Problem
	for i := range 3 * mostOfOne {
		problems = append(problems, sched.Problem{Object: fmt.Sprintf("Queue/a-%05d", i), Message: "it does not exist"})
	}
	problems = append(problems, sched.Problem{Object: "Queue/real", Message: "spec.capability.cpu: -5 is negative"})
	var c reportedProblems
	var said []string
	for range 2 {
		c.take(problems, func(object string) bool { return object == "Queue/real" }, func(p sched.Problem) bool {
			said = append(said, p.Object)
			return true
		})
	}
	if len(said) != mostOfOne+1 || said[mostOfOne] != "Queue/real" {
		t.Errorf("%d complaints, the last of %q; want %d of invented queues and the real one's", len(said), said[len(said)-1],
			mostOfOne)
	}
}

// Names of objects that do not exist are what a tenant writes. With slashes in them the tenant has no more words than
// without.
func TestNamesWithSlashesHaveNoBoundOfTheirOwn(t *testing.T) {
	for name, object := range map[string]string{"queues": "Queue/%05d/x", "PodGroups": "PodGroup/crowd/%05d/x"} {
		t.Run(name, func(t *testing.T) {
			var problems []sched.Problem
			for i := range mostReported {
				problems = append(problems, sched.Problem{Object: fmt.Sprintf(object, i), Message: "it does not exist"})
			}
			problems = append(problems, sched.Problem{Object: "Queue/real", Message: "spec.capability.cpu: -5 is negative"},
				sched.Problem{Object: "PodGroup/zoo/mine", Message: "spec.minMember: wrong"})
			exists := func(object string) bool { return object == "Queue/real" || object == "PodGroup/zoo/mine" }
			var c reportedProblems
			said := map[string]bool{}
			for range 2 {
				c.take(problems, exists, func(p sched.Problem) bool {
					said[p.Object] = true
					return true
				})
			}
			if len(said) != mostOfOne+2 || !said["Queue/real"] || !said["PodGroup/zoo/mine"] {
				t.Errorf("%d complaints, of the real queue %t, of zoo's PodGroup %t; want %d of invented names and both", len(said),
					said["Queue/real"], said["PodGroup/zoo/mine"], mostOfOne)
			}
		})
	}
}

// Where more is wrong than is remembered, every namespace is told of some of it, whatever it is called.
func TestManyNamespacesShareWhatIsRemembered(t *testing.T) {
	const crowds = 2 * mostReported / mostOfOne
	var problems []sched.Problem
	for i := range crowds * mostOfOne {
		problems = append(problems, sched.Problem{Object: fmt.Sprintf("PodGroup/crowd-%03d/g-%02d", i/mostOfOne, i%mostOfOne),
			Message: "spec.minMember: wrong"})
	}
	problems = append(problems, sched.Problem{Object: "PodGroup/zoo/mine", Message: "spec.minMember: wrong"})
	var c reportedProblems
	heard(&c, problems...)
	got := heard(&c, problems...)
	of := map[string]int{}
	for _, object := range got {
		of[strings.Split(object, "/")[1]]++
	}
	if len(got) != mostReported || of["zoo"] != 1 || of["crowd-000"] < mostOfOne/2 ||
		of[fmt.Sprintf("crowd-%03d", crowds-1)] < mostOfOne/2-1 {
		t.Errorf("%d complaints of %d namespaces, %d of zoo: %v", len(got), len(of), of["zoo"], of)
	}
	if left := c.take(problems, all, nil); left != len(problems)-mostReported {
		t.Errorf("%d are said to be left out, want %d", left, len(problems)-mostReported)
	}
}

// The Ref of a problem is its object's; that of what is no object belongs to none.
func TestAProblemLeadsToItsObject(t *testing.T) {
	for object, want := range map[string]model.Ref{
		"Queue/q":           {Kind: model.KindQueue, Name: "q"},
		"PodGroup/ns/g":     {Kind: model.KindPodGroup, Namespace: "ns", Name: "g"},
		"plugin/overcommit": {Kind: "plugin", Name: "overcommit"},
	} {
		if got := refOf(object); got != want {
			t.Errorf("refOf(%q) = %v, want %v", object, got, want)
		}
	}
}
