package resourcequota_test

import (
	"reflect"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/resourcequota"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// plugin is what this plugin answers.
type plugin interface {
	policy.Opener
	policy.JobEnqueueable
}

type world struct {
	l *ledger.Ledger
	p plugin
}

func newWorld(t *testing.T) world {
	t.Helper()
	l := ledger.New()
	p, err := resourcequota.Definition().New(policy.Choice{}, l)
	if err != nil {
		t.Fatal(err)
	}
	return world{l, p.(plugin)}
}

func (w world) apply(k model.Kind, namespace, name string, o model.Object) {
	w.l.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: name, Version: 1, Object: o})
}

func (w world) quota(namespace, name string, hard, used resource.List) {
	w.apply(model.KindQuota, namespace, name, &model.Quota{Meta: model.Meta{Namespace: namespace, Name: name}, Hard: hard,
		Used: used})
}

// job makes a PodGroup with minResources, and a pod of it where one is asked for.
func (w world) job(namespace, name string, phase model.GroupPhase, least, pod resource.List) ledger.JobID {
	w.apply(model.KindPodGroup, namespace, name, &model.PodGroup{Meta: model.Meta{Namespace: namespace, Name: name},
		MinMember: 1, MinResources: least, HasMin: true, Phase: phase})
	if pod != nil {
		w.apply(model.KindPod, namespace, name, &model.Pod{Meta: model.Meta{Namespace: namespace, Name: name}, Ours: true,
			Group: name, Spec: &model.Spec{Requests: pod}})
	}
	j, _ := w.l.Jobs.Find(ledger.JobKey{Namespace: namespace, Name: name})
	return j
}

func cpu(x int64) resource.List { return resource.List{{Name: "cpu", Value: x}} }

func TestWhatAQuotaHasRoomFor(t *testing.T) {
	type short = trace.Short
	for name, c := range map[string]struct {
		before func(world)
		asks   resource.List
		want   []short
	}{
		"as much as is left": {func(w world) { w.quota("ns", "q", cpu(10), cpu(4)) }, cpu(6), nil},
		"and no more": {func(w world) { w.quota("ns", "q", cpu(10), cpu(4)) }, cpu(7),
			[]short{{Dim: "cpu", Need: 11, Have: 10}}},
		"a limit of nothing": {func(w world) { w.quota("ns", "q", cpu(0), nil) }, cpu(1),
			[]short{{Dim: "cpu", Need: 1, Have: 0}}},
		"asking for nothing": {func(w world) { w.quota("ns", "q", cpu(0), cpu(5)) }, cpu(0), nil},
		"no quota bounds it": {func(w world) { w.quota("ns", "q", cpu(0), nil) }, resource.List{{Name: "memory", Value: 5}},
			nil},
		"another namespace": {func(w world) { w.quota("other", "q", cpu(0), nil) }, cpu(5), nil},
		"a quota set aside": {func(w world) {
			w.apply(model.KindQuota, "ns", "q", &model.Quota{Meta: model.Meta{Namespace: "ns", Name: "q",
				Faults: []model.Fault{{Fatal: true}}}, Hard: cpu(0)})
		}, cpu(5), nil},
		"a quota that is gone": {func(w world) {
			w.quota("ns", "q", cpu(0), nil)
			w.l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQuota, Namespace: "ns", Name: "q"}, Version: 2})
		}, cpu(5), nil},
		"pods that the status has not counted": {func(w world) {
			w.quota("ns", "q", cpu(10), cpu(1))
			w.job("ns", "runs", model.GroupRunning, cpu(6), cpu(6))
		}, cpu(5), []short{{Dim: "cpu", Need: 11, Have: 10}}},
		"pods that it has counted count once": {func(w world) {
			w.quota("ns", "q", cpu(10), cpu(6))
			w.job("ns", "runs", model.GroupRunning, cpu(6), cpu(6))
		}, cpu(4), nil},
		"a job let in that has no pods yet": {func(w world) {
			w.quota("ns", "q", cpu(10), nil)
			w.job("ns", "let-in", model.GroupInqueue, cpu(6), nil)
		}, cpu(5), []short{{Dim: "cpu", Need: 11, Have: 10}}},
		"a job let in that has some of its pods": {func(w world) {
			w.quota("ns", "q", cpu(10), cpu(2))
			w.job("ns", "let-in", model.GroupInqueue, cpu(6), cpu(2))
		}, cpu(5), []short{{Dim: "cpu", Need: 11, Have: 10}}},
		"a job that is not let in": {func(w world) {
			w.quota("ns", "q", cpu(10), nil)
			w.job("ns", "pending", model.GroupPending, cpu(6), nil)
		}, cpu(10), nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c.before(w)
			w.p.Open(nil)
			vote, r := w.p.VoteEnqueue(w.job("ns", "asks", model.GroupPending, c.asks, nil))
			if (vote == policy.Reject) != (c.want != nil) || !reflect.DeepEqual(r.Shorts, c.want) {
				t.Errorf("vote %d for %+v, want %+v", vote, r, c.want)
			}
			if r.Is() && (r.Code != trace.NamespaceQuotaExceeded || r.Text != "q") {
				t.Errorf("the reason is %s of %q", r.Code, r.Text)
			}
		})
	}
}

func TestJobsLetInInOneCycleCountForTheNext(t *testing.T) {
	w := newWorld(t)
	w.quota("ns", "q", cpu(10), nil)
	first := w.job("ns", "first", model.GroupPending, cpu(6), nil)
	second := w.job("ns", "second", model.GroupPending, cpu(6), nil)
	w.p.Open(nil)
	if vote, r := w.p.VoteEnqueue(first); vote != policy.Permit {
		t.Fatalf("the first: %+v", r)
	}
	if vote, r := w.p.VoteEnqueue(second); vote != policy.Permit {
		t.Errorf("the first was not let in, for another's sake, and still counts: %+v", r)
	}
	w.p.Open(nil)
	w.p.VoteEnqueue(first)
	w.l.Jobs.SetPhase(first, model.GroupInqueue, 1)
	if vote, _ := w.p.VoteEnqueue(second); vote != policy.Reject {
		t.Error("the first was let in and does not count")
	}
	w.p.Open(nil)
	if vote, _ := w.p.VoteEnqueue(second); vote != policy.Reject {
		t.Error("a job let in is forgotten in the next cycle")
	}
}

func TestOfSeveralQuotasTheFirstByNameIsTold(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"c", "a", "b"} {
		w.quota("ns", name, cpu(map[string]int64{"a": 9, "b": 2, "c": 1}[name]), nil)
	}
	w.p.Open(nil)
	if _, r := w.p.VoteEnqueue(w.job("ns", "asks", model.GroupPending, cpu(5), nil)); r.Text != "b" {
		t.Errorf("told of %q, want b: a has room", r.Text)
	}
}
