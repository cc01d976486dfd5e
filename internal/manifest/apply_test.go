package manifest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ashlar.sh/sched/model"
)

// applied is a cluster to which files are applied.
func applied(t *testing.T, cluster, files string) *World {
	t.Helper()
	under, errs := Load([]string{"-"}, strings.NewReader(cluster))
	over, more := Load([]string{"-"}, strings.NewReader(files))
	if errs = append(errs, more...); len(errs) > 0 {
		t.Fatal(errs)
	}
	under.Apply(over)
	return under.Expand()
}

// What is applied replaces what a cluster has of it: the object itself, and the pods and the PodGroup of an older
// version of a workload. It is no second object of the name.
func TestWhatIsAppliedReplacesWhatTheClusterHasOfIt(t *testing.T) {
	owned := func(kind, name, controller string) string {
		return "apiVersion: " + kind + "\nmetadata: {name: " + name + ", ownerReferences: [{" + controller +
			", controller: true, uid: x}]}\n---\n"
	}
	const group, volcanoJob = "scheduling.volcano.sh/v1beta1\nkind: PodGroup", "batch.volcano.sh/v1alpha1"
	cluster := pod("other", "  {}\n") + "---\n" +
		owned(group, "train-123", "apiVersion: "+volcanoJob+", kind: Job, name: train") +
		"apiVersion: " + group + "\nmetadata: {name: train}\nspec: {queue: old}\n---\n" +
		owned("v1\nkind: Pod", "train-w-0", "apiVersion: "+volcanoJob+", kind: Job, name: train") +
		owned("v1\nkind: Pod", "train-w-7", "apiVersion: "+volcanoJob+", kind: Job, name: train") +
		owned("apps/v1\nkind: ReplicaSet", "web-5", "apiVersion: apps/v1, kind: Deployment, name: web") +
		owned("v1\nkind: Pod", "web-5-a", "apiVersion: apps/v1, kind: ReplicaSet, name: web-5") +
		owned("v1\nkind: Pod", "web-6-a", "apiVersion: apps/v1, kind: ReplicaSet, name: web-6")
	w := applied(t, cluster, "apiVersion: "+volcanoJob+"\nkind: Job\nmetadata: {name: train}\n"+
		"spec: {queue: new, tasks: [{name: w, replicas: 1}]}\n---\n"+
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n")
	if got := refs(w); got != "Pod/default/other Pod/default/train-w-0 Pod/default/web-0 PodGroup/default/train" {
		t.Errorf("there are %s", got)
	}
	if got := item(t, w, "PodGroup/default/train").Fact.Object.(*model.PodGroup).Queue; got != "new" {
		t.Errorf("the job asks for queue %s, want the one that is applied", got)
	}
	if len(w.Problems) > 0 {
		t.Errorf("it is told %v", w.Problems)
	}
}

// A file that is applied to a folder with the same file is read instead of it, however it is named.
func TestAFileReplacesItselfInAFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.yaml": pod("a", "  {}\n") + "---\n" + pod("b", "  {}\n"),
		"c.yaml": pod("c", "  {}\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	under, errs := Load([]string{dir}, nil)
	over, more := Load([]string{"a.yaml"}, nil)
	if errs = append(errs, more...); len(errs) > 0 {
		t.Fatal(errs)
	}
	under.Apply(over)
	if w := under.Expand(); refs(w) != "Pod/default/a Pod/default/b Pod/default/c" || len(w.Problems) > 0 {
		t.Errorf("there are %s; it is told %v", refs(w), w.Problems)
	}
}

// Standard input is read once: given twice, another file was meant.
func TestStandardInputIsReadOnce(t *testing.T) {
	_, errs := Load([]string{"-", "-"}, bytes.NewReader([]byte(pod("a", "  {}\n"))))
	if len(errs) != 1 || errs[0].Error() != "-: is given twice: standard input is read once" {
		t.Errorf("it is told %v", errs)
	}
}
