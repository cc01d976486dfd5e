package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/loop"
)

// notTried are the commands of the page that need what this control plane lacks: a kubelet that runs programs, Helm,
// a scheduler that is a pod, Volcano's schedulers.
var notTried = regexp.MustCompile(`^(helm|curl|go tool pprof)|kubectl -n ashlar-system cp|-n volcano-system|` +
	`why eviction`)

// Each command of docs/operations.md is tried as it stands there, block by block in a shell, with kubectl and its
// plugin, on an installation of which the pods are kwok's: what somebody types at night works.
func TestLiveTheCommandsOfOperations(t *testing.T) {
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("no kubectl to try the commands with")
	}
	program := built(t)
	installed(t)
	ns := namespace(t)
	forwarding(t, ns)
	queue(t, ns)
	schedulersPod(t, ns+"-1", ns)
	installedScheduler(t, ns, ns+"-1", func(o *loop.Options) { o.SchedulerNames = []string{ns, "volcano"} })
	submit(t, ns, ns, "stuck", 0, 9, "1")
	for i := range 9 {
		p := member(ns, "stuck", i, "1")
		p.Spec.SchedulerName = "volcano" // that of the Deployment, which the verbs ask for
		create(t, p)
	}
	awaitCondition(t, ns, "stuck", schedulingv1beta1.PodGroupUnschedulableType)
	deployed(t, ns)

	bin := t.TempDir()
	if err := os.Symlink(program, filepath.Join(bin, "kubectl-ashlar")); err != nil {
		t.Fatal(err)
	}
	// A port-forward goes on until it is ended, and its ports may be taken here.
	wrapper := strings.ReplaceAll(`#!/bin/sh
case " $* " in
*' port-forward '*)
	set -- $(printf ' %s' "$@" | sed -E 's/ ([0-9]+)/ :\1/g')
	timeout 20 'KUBECTL' "$@" > forward.log 2>&1
	grep 'Forwarding from' forward.log || { cat forward.log; exit 1; };;
*) exec 'KUBECTL' "$@";;
esac
`, "KUBECTL", kubectl)
	if err := os.WriteFile(filepath.Join(bin, "kubectl"), []byte(wrapper), 0o700); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.NewReplacer("NAMESPACE", ns, "QUEUE", ns, "POD -o", "stuck-0 -o", "queue NAME", "queue "+ns,
		"job NAME", "job stuck", "volcano.sh NAME", "volcano.sh stuck")
	dir, tried, config := t.TempDir(), 0, inNamespace(t, kubectl, ns)
	for _, block := range commandsOf(string(page)) {
		script := "set -e\n" + names.Replace(block)
		ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
		shell := exec.CommandContext(ctx, "sh", "-c", script)
		shell.Dir = dir
		shell.Env = append(os.Environ(), "KUBECONFIG="+config, "PATH="+bin+":"+os.Getenv("PATH"),
			"KUBE_EDITOR=true", "HOME="+dir)
		out, err := shell.CombinedOutput()
		cancel()
		if err != nil {
			t.Errorf("%v:\n%s\n%s", err, script, out)
		}
		tried += strings.Count(block, "kubectl ")
		if strings.Contains(block, "--replicas=0") {
			scale := exec.Command(kubectl, "--kubeconfig", shared.Kubeconfig, "-n", installedIn, "scale", "deployment/ashlar",
				"--replicas=1")
			if out, err := scale.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			awaitReplica(t)
		}
	}
	if tried < 25 {
		t.Errorf("%d commands were tried, which cannot be all", tried)
	}
}

// inNamespace is the administrator's kubeconfig with a namespace that commands without -n mean.
func inNamespace(t *testing.T, kubectl, ns string) string {
	t.Helper()
	text, err := os.ReadFile(shared.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(kubectl, "--kubeconfig", path, "config", "set-context", "--current", "--namespace",
		ns).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// commandsOf are the blocks of a page, and the commands in its tables and sentences, without what is not tried.
func commandsOf(page string) (blocks []string) {
	var now []string
	end := func() {
		if text := strings.Join(now, "\n"); strings.Contains(text, "kubectl ") {
			blocks = append(blocks, text)
		}
		now = nil
	}
	for line := range strings.Lines(page) {
		command, indented := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
		switch {
		case !indented:
			end()
			for _, m := range regexp.MustCompile("`(kubectl ashlar [^`]*)`").FindAllStringSubmatch(line, -1) {
				if !notTried.MatchString(m[1]) {
					blocks = append(blocks, m[1])
				}
			}
		case !notTried.MatchString(command):
			now = append(now, command)
		}
	}
	end()
	return blocks
}

// deployed makes the scheduler's Deployment, with pods that kwok runs on a node: nothing else schedules them here.
func deployed(t *testing.T, on string) {
	t.Helper()
	deployments := shared.dynamic.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1",
		Resource: "deployments"}).Namespace(installedIn)
	for _, o := range manifests(t, "20-ashlar.yaml") {
		if o.GetKind() != "Deployment" {
			continue
		}
		if err := unstructured.SetNestedField(o.Object, on, "spec", "template", "spec", "nodeName"); err != nil {
			t.Fatal(err)
		}
		if _, err := deployments.Create(t.Context(), o, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx := context.Background()
			_ = deployments.Delete(ctx, o.GetName(), now())
			_ = shared.kube.CoreV1().Pods(installedIn).DeleteCollection(ctx, now(), metav1.ListOptions{
				LabelSelector: "app.kubernetes.io/name=ashlar"})
		})
	}
	awaitReplica(t)
}

// awaitReplica waits until one pod of the Deployment is ready.
func awaitReplica(t *testing.T) {
	t.Helper()
	eventually(t, "a pod of the Deployment to be ready", func(ctx context.Context) (bool, error) {
		d, err := shared.kube.AppsV1().Deployments(installedIn).Get(ctx, "ashlar", metav1.GetOptions{})
		return err == nil && d.Status.ReadyReplicas == 1, err
	}, func() string {
		pods, _ := shared.kube.CoreV1().Pods(installedIn).List(context.Background(), metav1.ListOptions{})
		var all []corev1.PodStatus
		for i := range pods.Items {
			all = append(all, pods.Items[i].Status)
		}
		return fmt.Sprintf("%+v", all)
	})
}
