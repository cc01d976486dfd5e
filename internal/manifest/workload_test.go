package manifest

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

const template = "template: {spec: {schedulerName: volcano, containers: [{name: c, resources: {requests: {cpu: 1}}}]}}"

func TestWorkloadsMakeTheirPods(t *testing.T) {
	workload := func(apiVersion, kind, name, spec string) string {
		return "apiVersion: " + apiVersion + "\nkind: " + kind + "\nmetadata: {name: " + name + "}\n" + spec + "\n---\n"
	}
	ownedPod := func(name, apiVersion, kind, owner string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", ownerReferences: [{apiVersion: " + apiVersion +
			", kind: " + kind + ", name: " + owner + ", controller: true}]}\n---\n"
	}
	tests := map[string]struct {
		text string
		want string // the names of the pods
	}{
		"a Deployment": {workload("apps/v1", "Deployment", "web", "spec: {replicas: 3, "+
			template+"}"), "web-0 web-1 web-2"},
		"replicas that are not given are one": {workload("apps/v1", "ReplicaSet", "rs", "spec: {"+template+"}"),
			"rs-0"},
		"no replicas": {workload("apps/v1", "StatefulSet", "db", "spec: {replicas: 0, "+
			template+"}"), ""},
		"a StatefulSet that counts from five": {workload("apps/v1", "StatefulSet", "db",
			"spec: {replicas: 2, ordinals: {start: 5}, "+template+"}"), "db-5 db-6"},
		"a Job": {workload("batch/v1", "Job", "j", "spec: {"+template+"}"), "j-0"},
		"a Job's parallelism": {workload("batch/v1", "Job", "j", "spec: {parallelism: 2, "+template+
			"}"), "j-0 j-1"},
		"no more pods than completions": {workload("batch/v1", "Job", "j",
			"spec: {parallelism: 5, completions: 2, "+template+"}"), "j-0 j-1"},
		"no more pods than parallelism": {workload("batch/v1", "Job", "j",
			"spec: {parallelism: 2, completions: 5, "+template+"}"), "j-0 j-1"},
		"no more pods than completions are missing": {workload("batch/v1", "Job", "j",
			"spec: {parallelism: 5, completions: 4, "+template+"}\nstatus: {succeeded: 3}"), "j-0"},
		"a Job that is suspended": {workload("batch/v1", "Job", "j", "spec: {suspend: true, "+template+
			"}"), ""},
		"a Job that is over": {workload("batch/v1", "Job", "j", "spec: {"+template+
			"}\nstatus: {conditions: [{type: Complete, status: \"True\"}]}"), ""},
		"a Volcano Job": {workload("batch.volcano.sh/v1alpha1", "Job", "v",
			"spec: {tasks: [{name: ps, replicas: 1, "+template+"}, {replicas: 2, "+template+"}]}"),
			"v-default1-0 v-default1-1 v-ps-0"},
		"a Volcano Job that is over": {workload("batch.volcano.sh/v1alpha1", "Job", "v",
			"spec: {tasks: [{name: ps, replicas: 1}]}\nstatus: {state: {phase: Completed}}"), ""},
		"pods that are given are not made again": {workload("apps/v1", "StatefulSet", "db", "spec: {replicas: 3, "+
			template+"}") + ownedPod("db-1", "apps/v1", "StatefulSet", "db"), "db-1"},
		"pods of another kind's owner do not count": {workload("batch/v1", "Job", "j", "spec: {"+template+"}") +
			ownedPod("x", "batch.volcano.sh/v1alpha1", "Job", "j"), "j-0 x"},
		"a Deployment's pods by its ReplicaSet": {workload("apps/v1", "Deployment", "web", "spec: {replicas: 2, "+
			template+"}") + ownedPod("web-5f-x", "apps/v1", "ReplicaSet", "web-5f"), "web-5f-x"},
		"a ReplicaSet with its Deployment given too": {workload("apps/v1", "Deployment", "web", "spec: {"+template+"}") +
			strings.Replace(workload("apps/v1", "ReplicaSet", "web-5f", "spec: {"+template+"}"), "{name: web-5f}",
				"{name: web-5f, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, controller: true}]}", 1),
			"web-0"},
		"a pod of another owner that has the name": {workload("apps/v1", "StatefulSet", "web", "spec: {replicas: 2, "+
			template+"}") + pod("web-1", "  {}\n"), "web-0 web-1"},
		"names that come as they come": {workload("apps/v1", "Deployment", "web", "spec: {replicas: 2, "+
			template+"}") + pod("web-1", "  {}\n"), "web-0 web-1 web-2"},
		"two of one name, one of them numbered": {workload("apps/v1", "Deployment", "web", "spec: {"+template+"}") +
			workload("apps/v1", "StatefulSet", "web", "spec: {"+template+"}"), "web-0 web-1"},
		"fewer than none": {workload("apps/v1", "Deployment", "web", "spec: {replicas: -1, "+
			template+"}"), ""},
		"more pods than a workload may have": {workload("apps/v1", "Deployment", "web",
			"spec: {replicas: 2000000000, "+template+"}"), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, it := range expanded(t, tt.text).Items {
				if it.Fact.Ref.Kind == model.KindPod {
					got = append(got, it.Fact.Ref.Name)
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
}

func TestWorkloadsThatCannotBeMeantAreProblems(t *testing.T) {
	w := expanded(t, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: few}\nspec: {replicas: -1}\n---\n"+
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: many}\nspec: {replicas: 2000000000}\n---\n"+
		"apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: web}\n---\n"+pod("web-0", "  {}\n"))
	want := []told{
		{"Deployment/default/few", "-1 pods are fewer than none: none are made"},
		{"Deployment/default/many", "2000000000 pods are more than the 1048575 that may still be made: none are made"},
		{"Pod/default/web-0", "StatefulSet/default/web does not make it: there is one of that name"},
	}
	if !reflect.DeepEqual(toldOf(w), want) {
		t.Errorf("%v", w.Problems)
	}
}

func TestWhatAWorkloadsPodsAre(t *testing.T) {
	w := expanded(t, "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: team\n"+
		"  creationTimestamp: \"2025-11-20T10:00:00Z\"\n"+
		"  annotations: {scheduling.volcano.sh/group-min-member: \"2\", scheduling.volcano.sh/queue-name: q}\n"+
		"spec: {replicas: 2, "+template+"}\n")
	first, second := item(t, w, "Pod/team/web-0"), item(t, w, "Pod/team/web-1")
	p := first.Fact.Object.(*model.Pod)
	want := &model.Pod{
		Meta: model.Meta{Namespace: "team", Name: "web-0", Created: 1763632800e9}, Ours: true, Scheduler: "volcano",
		Owner: "web", OwnerID: "Deployment.apps/", Adopt: model.Adopt{Queue: "q", MinMember: 2}, Preemptable: true,
		Grace: 30e9, Spec: p.Spec, Template: p.Template,
	}
	if !reflect.DeepEqual(p, want) || !first.Owned || first.Where.Line != 1 {
		t.Errorf("%+v", p)
	}
	if p.Template == 0 || p.Template != second.Fact.Object.(*model.Pod).Template {
		t.Errorf("the pods of one template have templates %d and %d", p.Template, second.Fact.Object.(*model.Pod).Template)
	}
	if got, _ := p.Spec.Requests.Get("cpu"); got != 1000 || p.Spec != second.Fact.Object.(*model.Pod).Spec {
		t.Errorf("requests %v, shared %t", p.Spec.Requests, p.Spec == second.Fact.Object.(*model.Pod).Spec)
	}
}

// A pod of the input asks for what its controller does, or the nearest one above that says
// it, as Volcano's controllers take it; its own annotation goes first.
func TestAnAdoptedPodAsksForWhatItsOwnerDoes(t *testing.T) {
	owned := func(name, says string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: " + name + "\n  annotations: {" + says + "}\n" +
			"  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-5f, controller: true}]\n---\n"
	}
	const queue, least = "scheduling.volcano.sh/queue-name: ", "scheduling.volcano.sh/group-min-member: "
	w := expanded(t, owned("a", "")+owned("b", queue+"own")+owned("c", "scheduling.k8s.io/group-name: g")+
		"apiVersion: apps/v1\nkind: ReplicaSet\nmetadata:\n  name: web-5f\n  annotations: {"+least+"\"3\"}\n"+
		"  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, controller: true}]\n---\n"+
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, annotations: {"+least+"\"2\", "+queue+
		"q}}\nspec: {replicas: 0}\n")
	for name, want := range map[string]model.Adopt{"a": {Queue: "q", MinMember: 3}, "b": {Queue: "own", MinMember: 3},
		"c": {}} {
		if got := item(t, w, "Pod/default/"+name).Fact.Object.(*model.Pod).Adopt; got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// TestAnOwnerIsKnownByItsUID: of two objects of one name, and of one that was made again under its
// name, each has its own pods; what a later one says is not said for the pods of an earlier.
func TestAnOwnerIsKnownByItsUID(t *testing.T) {
	owned := func(name, apiVersion, kind, uid string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: " + name + "\n  ownerReferences: [{apiVersion: " + apiVersion +
			", kind: " + kind + ", name: app, uid: " + uid + ", controller: true}]\n---\n"
	}
	w := expanded(t, owned("job", "batch/v1", "Job", "j1")+owned("vcjob", "batch.volcano.sh/v1alpha1", "Job", "v1")+
		owned("first-life", "apps/v1", "StatefulSet", "s1")+owned("second-life", "apps/v1", "StatefulSet", "s2")+
		"apiVersion: apps/v1\nkind: StatefulSet\n"+
		"metadata: {name: app, uid: s2, annotations: {scheduling.volcano.sh/queue-name: q}}\nspec: {replicas: 0}\n")
	for name, want := range map[string][2]string{"job": {"Job.batch/j1", ""}, "vcjob": {"Job.batch.volcano.sh/v1", ""},
		"first-life": {"StatefulSet.apps/s1", ""}, "second-life": {"StatefulSet.apps/s2", "q"}} {
		p := item(t, w, "Pod/default/"+name).Fact.Object.(*model.Pod)
		if p.Owner != "app" || p.OwnerID != want[0] || p.Adopt.Queue != want[1] {
			t.Errorf("%s: owner %q, %q, queue %q, want %v", name, p.Owner, p.OwnerID, p.Adopt.Queue, want)
		}
	}
}

func TestTheTopControllerGivesTheJobItsName(t *testing.T) {
	owner := func(apiVersion, kind, name string) string {
		return "ownerReferences: [{apiVersion: " + apiVersion + ", kind: " + kind + ", name: " + name + ", controller: true}]"
	}
	w := expanded(t, "apiVersion: v1\nkind: Pod\nmetadata: {name: p, "+owner("apps/v1", "ReplicaSet", "web-5f")+"}\n---\n"+
		"apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web-5f, "+owner("apps/v1", "Deployment", "web")+"}\n---\n"+
		"apiVersion: v1\nkind: Pod\nmetadata: {name: r, "+owner("batch/v1", "Job", "a")+"}\n---\n"+
		"apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, "+owner("batch/v1", "Job", "a")+"}\n---\n")
	for ref, want := range map[string]string{"Pod/default/p": "web", "Pod/default/r": "a"} {
		if got := item(t, w, ref).Fact.Object.(*model.Pod).Owner; got != want {
			t.Errorf("%s: owner %q, want %q", ref, got, want)
		}
	}
}

// vcjob has a master that asks for 4 cpu at high priority and workers that ask for 1.
const vcjob = `apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 10
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, labels: {volcano.sh/preemptable: "false"}}
spec:
  MINIMUM
  queue: q
  priorityClassName: high
  tasks:
  - {name: worker, replicas: 4, WORKERS template: {spec: {containers: [{name: c, resources: {limits: {cpu: 1}}}]}}}
  - name: master
    replicas: 1
    template: {spec: {priorityClassName: high, containers: [{name: c, resources: {requests: {cpu: 4}}}]}}
`

func TestTheGroupOfAVolcanoJob(t *testing.T) {
	mins := func(master, worker int32) []model.RoleMin {
		return []model.RoleMin{{Role: "master", Min: master}, {Role: "worker", Min: worker}}
	}
	tests := map[string]struct {
		minimum, workers string
		minMember        int32
		roles            []model.RoleMin
		cpu              int64
	}{
		"all of it unless it says otherwise":                   {"", "", 5, mins(1, 4), 8000},
		"the tasks' minimums add up":                           {"", "minAvailable: 2,", 3, mins(1, 2), 6000},
		"the first pods by priority where the minimum is less": {"minAvailable: 2", "", 2, mins(1, 4), 5000},
		"the tasks' minimums, then the rest":                   {"minAvailable: 4", "minAvailable: 2,", 4, mins(1, 2), 7000},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := expanded(t, strings.NewReplacer("MINIMUM", tt.minimum, "WORKERS", tt.workers).Replace(vcjob))
			got := item(t, w, "PodGroup/default/train").Fact.Object
			want := &model.PodGroup{
				Meta: model.Meta{Namespace: "default", Name: "train"}, Queue: "q", PriorityClass: "high",
				MinMember: tt.minMember, MinTaskMember: tt.roles, Protected: true,
				Labels: []model.Label{{Key: "volcano.sh/preemptable", Value: "false"}},
				HasMin: true, MinResources: resource.List{{Name: "cpu", Value: tt.cpu}},
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestThePodsOfAVolcanoJob(t *testing.T) {
	w := expanded(t, strings.NewReplacer("MINIMUM", "", "WORKERS", "").Replace(vcjob))
	p := item(t, w, "Pod/default/train-worker-3").Fact.Object.(*model.Pod)
	if p.Group != "train" || p.Role != "worker" || p.Index != 3 || !p.Ours || p.Preemptable || p.Owner != "train" {
		t.Errorf("%+v", p)
	}
}

func TestAGivenGroupOfAVolcanoJobIsUsed(t *testing.T) {
	text := strings.NewReplacer("MINIMUM", "", "WORKERS", "").Replace(vcjob) + "---\n" +
		"apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\n" +
		"metadata: {name: train-uid, ownerReferences: [{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: train, " +
		"controller: true}]}\n"
	w := expanded(t, text)
	groups := slices.DeleteFunc(strings.Fields(refs(w)), func(s string) bool { return !strings.HasPrefix(s, "PodGroup/") })
	if p := item(t, w, "Pod/default/train-master-0").Fact.Object.(*model.Pod); p.Group != "train-uid" || len(groups) != 1 {
		t.Errorf("group %q among %v", p.Group, groups)
	}
}

func TestAVolcanoJobBeyondAnyClusterIsSetAside(t *testing.T) {
	w := expanded(t, "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: v}\nspec: {minAvailable: 6000, "+
		"tasks: [{name: a, replicas: 6000, template: {spec: {containers: [{name: c, resources: {requests: {memory: "+
		"200Ti}}}]}}}]}\n")
	f, aside := item(t, w, "PodGroup/default/v").Fact.Object.(*model.PodGroup).SetAside()
	if !aside || f.Field != "spec.minResources" {
		t.Errorf("%v", f)
	}
}
