package pending

import (
	"testing"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// cluster is a ledger with the index of its pending jobs.
type cluster struct {
	*Index
	L *ledger.Ledger
}

// waiting is a cluster of one node with a job that waits.
func waiting(t *testing.T) (*cluster, ledger.JobID, *int) {
	t.Helper()
	version := 0
	s := &cluster{L: ledger.New()}
	set, err := policy.Build(policy.Profile{}, nil, s.L)
	if err != nil {
		t.Fatal(err)
	}
	s.Index = New(s.L, class.New(s.L, set), set)
	tell(s, &version, model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default"}, Weight: 1})
	tell(s, &version, model.KindNode, "", "node", &model.Node{Meta: model.Meta{Name: "node"}, Allocatable: cpu(4)})
	tell(s, &version, model.KindPod, "ns", "waits", pod("waits", ""))
	tell(s, &version, model.KindPod, "ns", "other", pod("other", ""))
	s.Open()
	j, ok := s.L.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "waits", Adopted: true})
	if !ok {
		t.Fatal("the pod has no job")
	}
	return s, j, &version
}

func cpu(x int64) resource.List { return resource.List{{Name: resource.CPUName, Value: x}} }

func pod(name, node string) *model.Pod {
	p := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name}, Ours: true, Node: node,
		Spec: &model.Spec{Requests: cpu(3)}}
	if node != "" {
		p.Phase = model.PodRunning
	}
	return p
}

func tell(s *cluster, version *int, k model.Kind, namespace, name string, o model.Object) {
	*version++
	s.L.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, Version: uint64(*version), Object: o})
	s.L.ExtendDims()
}

// take gives the room on the node to the other pod, in a statement that holds or not.
func take(s *cluster, holds bool) {
	t, _ := s.L.Tasks.Find(ledger.Key{Namespace: "ns", Name: "other"})
	n, _ := s.L.Nodes.Find("node")
	s.L.Try(func(tx *ledger.Tx) bool {
		tx.Allocate(t, n)
		return holds
	})
}

// TestWhatWakesAParkedJob: only what its answer rests on.
func TestWhatWakesAParkedJob(t *testing.T) {
	room, quota := trace.Reason{Code: trace.NotEnoughResources}, trace.Reason{Code: trace.QueueDeserved}
	changes := map[string]func(s *cluster, version *int){
		"nothing":       func(*cluster, *int) {},
		"another cycle": func(s *cluster, _ *int) { s.Open() },
		"less room":     func(s *cluster, _ *int) { take(s, true) },
		"a failed try":  func(s *cluster, _ *int) { take(s, false) },
		"a node": func(s *cluster, v *int) {
			tell(s, v, model.KindNode, "", "more", &model.Node{Meta: model.Meta{Name: "more"}, Allocatable: cpu(4)})
		},
		"a queue": func(s *cluster, v *int) {
			tell(s, v, model.KindQueue, "", "q", &model.Queue{Meta: model.Meta{Name: "q"}})
		},
		"its own pod": func(s *cluster, v *int) { tell(s, v, model.KindPod, "ns", "waits", pod("waits", "")) },
		"a pod that asks for more": func(s *cluster, v *int) {
			tell(s, v, model.KindPod, "ns", "third", pod("third", ""))
		},
	}
	tests := []struct {
		name   string
		reason trace.Reason
		full   bool
		sleeps []string
	}{
		{"for room", room, false, []string{"nothing", "another cycle", "less room", "a failed try",
			"a pod that asks for more"}},
		{"for a cause of room", trace.Reason{Code: trace.GangIncomplete, Cause: &room}, false,
			[]string{"nothing", "another cycle", "less room", "a failed try", "a pod that asks for more"}},
		{"for quota", quota, false, []string{"nothing", "another cycle", "a failed try"}},
		{"for room, with several classes", room, true, []string{"nothing", "another cycle", "a failed try"}},
	}
	for _, test := range tests {
		for change, do := range changes {
			t.Run(test.name+" by "+change, func(t *testing.T) {
				s, j, version := waiting(t)
				s.Park(j, Refusal{Reason: test.reason, Whole: true, Everywhere: test.full})
				do(s, version)
				want := false
				for _, c := range test.sleeps {
					want = want || c == change
				}
				if got := s.Parked(j); got != want {
					t.Errorf("parked %t, want %t", got, want)
				}
			})
		}
	}
}

// TestTheReasonShownIsThePresentOne: a refusal is asked about again once its world has
// moved on, and only then.
func TestTheReasonShownIsThePresentOne(t *testing.T) {
	s, j, _ := waiting(t)
	asked := 0
	ask := func(ledger.JobID) trace.Reason {
		asked++
		return trace.Reason{Code: trace.NodesRefuse}
	}
	s.Park(j, Refusal{Reason: trace.Reason{Code: trace.NotEnoughResources}, Whole: true})
	if r := s.ReasonToShow(j, ask); r.Code != trace.NotEnoughResources || asked != 0 {
		t.Fatalf("shown is %s, asked %d times; nothing has changed", r.Code, asked)
	}
	take(s, true)
	for range 2 {
		if r := s.ReasonToShow(j, ask); r.Code != trace.NodesRefuse || asked != 1 {
			t.Fatalf("shown is %s, asked %d times, want the answer of one question", r.Code, asked)
		}
	}
	if !s.Parked(j) {
		t.Error("showing a reason wakes the job")
	}
}

// TestWhatWasNotedEarlierIsForgotten: a reason that is no refusal holds for its cycle,
// and for the job that had the row then.
func TestWhatWasNotedEarlierIsForgotten(t *testing.T) {
	s, j, version := waiting(t)
	s.Wait(j, trace.Reason{Code: trace.QueueNotFound})
	if got := s.Reason(j).Code; got != trace.QueueNotFound {
		t.Errorf("the reason is %q within the cycle", got)
	}
	s.Open()
	if got := s.Reason(j).Code; got != trace.None {
		t.Errorf("the reason is still %q in the next cycle", got)
	}
	s.Park(j, Refusal{Reason: trace.Reason{Code: trace.NotEnoughResources}, Whole: true})
	tell(s, version, model.KindPod, "ns", "waits", nil)
	tell(s, version, model.KindPod, "ns", "heir", pod("heir", ""))
	heir, _ := s.L.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "heir", Adopted: true})
	if heir != j {
		t.Skip("rows are not reused in this order")
	}
	if s.Parked(heir) || s.Reason(heir).Is() {
		t.Errorf("the row's new job inherits %+v", s.Reason(heir))
	}
}

// TestParkedJobsAreAskedTogether: jobs that lack the same are left alone until there is
// room, or until one of them changes, and then only that one.
func TestParkedJobsAreAskedTogether(t *testing.T) {
	s, waits, version := waiting(t)
	o, _ := s.L.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "other", Adopted: true})
	fresh := func() []ledger.JobID { return s.Unparked(func(ledger.JobID) bool { return true }) }
	park := func(jobs ...ledger.JobID) {
		for _, j := range jobs {
			s.Park(j, Refusal{Reason: trace.Reason{Code: trace.NotEnoughResources}, Whole: true, Class: s.L.Task(0).Class,
				Tasks: 1})
		}
	}
	foreign := pod("sits", "node")
	brief := pod("brief", "small")
	foreign.Ours, brief.Ours = false, false
	tell(s, version, model.KindNode, "", "small", &model.Node{Meta: model.Meta{Name: "small"}, Allocatable: cpu(2)})
	tell(s, version, model.KindPod, "ns", "sits", foreign)
	if got := fresh(); len(got) != 2 {
		t.Fatalf("%d jobs are to be asked, want both", len(got))
	}
	park(waits, o)
	for range 3 {
		s.Open()
		tell(s, version, model.KindPod, "ns", "brief", brief)
		tell(s, version, model.KindPod, "ns", "brief", nil)
		if got := fresh(); len(got) != 0 {
			t.Fatalf("%d jobs are to be asked; no node has room for one", len(got))
		}
	}
	tell(s, version, model.KindPod, "ns", "other", &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "other"}, Ours: true,
		Spec: &model.Spec{Requests: cpu(4)}})
	if got := fresh(); len(got) != 1 || got[0] != o {
		t.Fatalf("%v are to be asked, want the job that changed", got)
	}
	tell(s, version, model.KindPod, "ns", "sits", nil)
	if got := fresh(); len(got) != 2 {
		t.Fatalf("%d jobs are to be asked now that there is room, want both", len(got))
	}
}

// What is remembered costs only for jobs that wait: a cluster is full of others.
func TestAJobThatRunsIsNotRemembered(t *testing.T) {
	s, j, version := waiting(t)
	other, _ := s.L.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "other", Adopted: true})
	s.Wait(j, trace.Reason{Code: trace.NotEnoughResources})
	if s.Reason(other).Is() || s.Parked(other) {
		t.Error("a job of which nothing was noted has a reason")
	}
	if len(s.jobs) > int(other) && s.jobs[other].wait != nil {
		t.Error("a job of which nothing was noted is remembered")
	}
	tell(s, version, model.KindPod, "ns", "waits", pod("waits", "node"))
	s.Open()
	if s.Reason(j).Is() || s.jobs[j].wait != nil {
		t.Error("a job that runs is remembered for having waited")
	}
}
