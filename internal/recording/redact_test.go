package recording

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// secretNames are what people may name things, in no order.
var secretNames = []string{"zeus", "acme", "root-team", "default-b", "kube", "Alpha", "n-10", "n-9", "q", "mergers",
	"x.y", "0a", "payroll"}

func redactable(t *rapid.T) State {
	name := func(of string, n int) string {
		if of == "node" {
			return fmt.Sprint("node-", n)
		}
		return fmt.Sprintf("%s-%s-%d", secretNames[n%len(secretNames)], of, n)
	}
	label := func() model.Label {
		return model.Label{Key: rapid.SampledFrom([]string{"secret/tier", "kubernetes.io/arch", "zz", "team"}).Draw(t, "key"),
			Value: rapid.SampledFrom([]string{"gold", "amd64", "7", "true", "acme"}).Draw(t, "value")}
	}
	s := State{Now: 1e9, Period: 1e9}
	add := func(kind model.Kind, namespace, name string, o model.Object) {
		uid := "uid-" + name
		if kind == model.KindNode {
			uid = name
		}
		*o.Common() = model.Meta{Namespace: namespace, Name: name, UID: uid}
		s.Facts = append(s.Facts, model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, UID: uid,
			Version: uint64(len(s.Facts) + 1), Object: o})
	}
	n := func(most int, what string) int { return rapid.IntRange(0, most).Draw(t, what) }
	for i := range 1 + n(5, "nodes") {
		room := resource.List{{Name: "cpu", Value: int64(2000 + 1000*n(3, "cpu"))}, {Name: "pods", Value: 9}}
		labels := []model.Label{{Key: "kubernetes.io/hostname", Value: name("node", i)}}
		if l := label(); l.Key > "kubernetes.io/hostname" {
			labels = append(labels, l)
		} else {
			labels = append([]model.Label{l}, labels...)
		}
		node := &model.Node{Allocatable: room, Capacity: room, Labels: labels}
		if n(3, "tainted") == 0 {
			node.Taints = []model.Taint{{Key: "secret/taint", Value: "acme", Effect: "NoSchedule"}}
		}
		add(model.KindNode, "", name("node", i), node)
	}
	queues := []string{"default"}
	for i := range n(3, "queues") {
		queues = append(queues, name("queue", i))
	}
	for _, q := range queues {
		add(model.KindQueue, "", q, &model.Queue{Weight: int32(1 + n(2, "weight"))})
	}
	for j := range 1 + n(5, "jobs") {
		job, namespace := name("job", j), secretNames[n(3, "namespace")]
		members := 1 + n(3, "members")
		add(model.KindPodGroup, namespace, job, &model.PodGroup{MinMember: int32(members),
			Queue: rapid.SampledFrom(queues).Draw(t, "queue")})
		spec := &model.Spec{Requests: resource.List{{Name: "cpu", Value: int64(500 + 500*n(3, "asks"))},
			{Name: "pods", Value: 1}}}
		if n(2, "selects") == 0 {
			spec.Selector = []model.Label{label()}
		}
		if n(2, "tolerates") == 0 {
			spec.Tolerations = []model.Toleration{{Key: "secret/taint", Exists: true}}
		}
		if n(2, "apart") == 0 {
			spec.Neighbours = &model.Neighbours{Apart: []model.Near{{Key: "kubernetes.io/hostname",
				Pods: model.PodSelector{MatchesNothing: n(1, "nothing") == 0}}}}
		}
		for i := range members {
			add(model.KindPod, namespace, fmt.Sprintf("%s-%d", job, i), &model.Pod{Group: job, Ours: true, Index: int64(i),
				Spec: spec, Preemptable: true, Labels: []model.Label{{Key: "secret/app", Value: "mergers"}}})
		}
	}
	used := []ledger.UsageAmount{{Resource: "cpu", Used: uint64(n(5000, "used"))}}
	s.Commitments.Usage = &ledger.UsageState{
		Queues:  []ledger.UsageRecord{{Queue: queues[len(queues)-1], Amounts: used}},
		Tenants: []ledger.UsageRecord{{Queue: queues[0], Tenant: secretNames[0], Amounts: used}}}
	return s
}

// A state with pseudonyms decides as the state does, but for the names, and none of the names is in it.
func TestARedactedStateDecidesTheSame(t *testing.T) {
	bound := 0
	decide := func(t *rapid.T, s State) (out []string, plan sched.Plan) {
		e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"},
			Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}},
				{{Plugin: "fairshare"}, {Plugin: "predicates"},
					{Plugin: "proportion", Arguments: policy.Arguments{"usage.weight": "0.5"}}, {Plugin: "nodeorder"}}}})
		if err != nil {
			t.Fatal(err)
		}
		e.Apply(s.Facts...)
		e.Restore(s.Commitments)
		plan, _, _ = e.Decide(s.Now)
		for _, j := range e.Report().Jobs {
			out = append(out, fmt.Sprint(j.Phase, j.Tasks, j.Reason.Code, j.Reason.Have, j.Reason.Need))
		}
		slices.Sort(out)
		return out, plan
	}
	rapid.Check(t, func(t *rapid.T) {
		s := redactable(t)
		r, err := Redact(s)
		if err != nil {
			t.Fatal(err)
		}
		wasJobs, was := decide(t, s)
		isJobs, is := decide(t, r.State)
		if !slices.Equal(wasJobs, isJobs) {
			t.Fatalf("jobs are %q, want %q", isJobs, wasJobs)
		}
		name := func(s string) string { return cmp.Or(r.Names[s], s) }
		var want, got []string
		for _, i := range was.Items {
			bound++
			want = append(want, fmt.Sprint(i.Kind, name(i.Pod.Namespace), name(i.Pod.Name), name(i.Node), name(i.Group.Name)))
		}
		for _, i := range is.Items {
			got = append(got, fmt.Sprint(i.Kind, i.Pod.Namespace, i.Pod.Name, i.Node, i.Group.Name))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("it decides\n%q, want\n%q", got, want)
		}
		text, err := json.Marshal(r.State)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"mergers", "secret/app", "payroll-", "-job-", "uid-"} {
			if strings.Contains(string(text), secret) {
				t.Fatalf("%q is in %s", secret, text)
			}
		}
	})
	if bound == 0 {
		t.Error("nothing was decided in any case")
	}
}
