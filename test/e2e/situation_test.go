package e2e

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/explain"
)

// A wait that fails on a busy machine, once in many runs, is worth nothing without what the
// objects looked like then: whether the pod had no node (ours), or had one and did not run
// (kwok's), or the node was tainted (the controller manager's).

// klogs sets flags of klog, and its level, which ASHLAR_E2E_V says (0 to 5).
func klogs(args ...string) error {
	flags := flag.NewFlagSet("ASHLAR_E2E_V", flag.ContinueOnError)
	klog.InitFlags(flags)
	return flags.Parse(append(args, "-v="+cmp.Or(os.Getenv("ASHLAR_E2E_V"), "0")))
}

// logs has the schedulers of this process log to a file, so that what a failing test prints is not
// lost among thousands of lines. done deletes the file of a run that passed, and says where the
// file of another lies.
func logs() (done func(passed bool), err error) {
	file, err := os.CreateTemp("", "ashlar-e2e-*.log")
	if err != nil {
		return nil, err
	}
	if err := klogs("-logtostderr=false", "-stderrthreshold=FATAL"); err != nil {
		return nil, err
	}
	klog.SetOutput(file)
	return func(passed bool) {
		klog.Flush()
		if passed {
			_ = os.Remove(file.Name())
			return
		}
		fmt.Fprintln(os.Stderr, "e2e: what the schedulers logged:", file.Name())
	}, nil
}

// concerned is what belongs to a test that runs: its namespaces, and where to ask its
// schedulers for what they believe.
var concerned struct {
	sync.Mutex
	namespaces map[*testing.T][]string
	dumps      map[*testing.T][]dump
}

// dump is where a scheduler of this process writes what it knows, and how to ask it to.
type dump struct {
	dir string
	ask chan<- os.Signal
}

func concerns(t *testing.T, ns string) {
	concerned.Lock()
	defer concerned.Unlock()
	if concerned.namespaces == nil {
		concerned.namespaces, concerned.dumps = map[*testing.T][]string{}, map[*testing.T][]dump{}
	}
	if !slices.Contains(concerned.namespaces[t], ns) {
		concerned.namespaces[t] = append(concerned.namespaces[t], ns)
	}
	t.Cleanup(func() {
		concerned.Lock()
		defer concerned.Unlock()
		delete(concerned.namespaces, t)
		delete(concerned.dumps, t)
	})
}

func asks(t *testing.T, d dump) {
	concerned.Lock()
	defer concerned.Unlock()
	if concerned.dumps != nil {
		concerned.dumps[t] = append(concerned.dumps[t], d)
	}
}

// situation is all that a test's objects show now, and what its schedulers believe: for a
// test that ends because it waited in vain.
func situation(t *testing.T, kube kubernetes.Interface, dynamic dynamic.Interface) string {
	concerned.Lock()
	namespaces, dumps := slices.Clone(concerned.namespaces[t]), slices.Clone(concerned.dumps[t])
	concerned.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var b strings.Builder
	fmt.Fprintf(&b, "at %s\n", time.Now().Format(time.StampMilli))
	for _, ns := range namespaces {
		sayPods(ctx, &b, kube, ns)
		sayNodes(ctx, &b, kube, ns)
		sayVolcanos(ctx, &b, dynamic, ns)
		sayEvents(ctx, &b, kube, ns)
		if shared.Cluster != nil {
			sayLog(&b, filepath.Join(shared.Dir, "kwok.log"), ns)
		}
	}
	for _, d := range dumps {
		sayBelief(ctx, &b, d, namespaces)
	}
	return b.String()
}

// most is how many lines of one kind a situation has.
const most = 40

func sayPods(ctx context.Context, b *strings.Builder, kube kubernetes.Interface, ns string) {
	pods, err := kube.CoreV1().Pods(ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		fmt.Fprintf(b, "pods of %s: %v\n", ns, err)
		return
	}
	fmt.Fprintf(b, "%d pods in %s, %d bound\n", len(pods.Items), ns, bound(pods.Items))
	// Those that do not run come first.
	slices.SortStableFunc(pods.Items, func(x, y corev1.Pod) int {
		return strings.Compare(string(x.Status.Phase), string(y.Status.Phase))
	})
	for _, p := range pods.Items[:min(len(pods.Items), most)] {
		fmt.Fprintf(b, "  pod %s uid %s version %s made %s on %q nominated %q %s deleting %v gates %v group %q\n", p.Name,
			p.UID, p.ResourceVersion,
			p.CreationTimestamp.Format(time.TimeOnly), p.Spec.NodeName, p.Status.NominatedNodeName, p.Status.Phase,
			p.DeletionTimestamp, p.Spec.SchedulingGates, gangOf(&p))
		for _, c := range p.Status.Conditions {
			fmt.Fprintf(b, "    %s %s %s %q %s\n", c.Type, c.Status, c.Reason, c.Message,
				c.LastTransitionTime.Format(time.TimeOnly))
		}
	}
}

// sayNodes tells of the nodes that are named after a namespace.
func sayNodes(ctx context.Context, b *strings.Builder, kube kubernetes.Interface, ns string) {
	nodes, err := kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		fmt.Fprintf(b, "nodes: %v\n", err)
		return
	}
	for _, n := range nodes.Items {
		if strings.HasPrefix(n.Name, ns) {
			fmt.Fprintf(b, "  node %s ready %v unschedulable %v taints %v allocatable %s cpu\n", n.Name, ready(&n),
				n.Spec.Unschedulable, n.Spec.Taints, n.Status.Allocatable.Cpu())
		}
	}
}

func sayVolcanos(ctx context.Context, b *strings.Builder, api dynamic.Interface, ns string) {
	groups, err := api.Resource(podGroupResource).Namespace(ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		fmt.Fprintf(b, "podgroups of %s: %v\n", ns, err)
		return
	}
	for _, g := range groups.Items[:min(len(groups.Items), most)] {
		fmt.Fprintf(b, "  podgroup %s uid %s version %s spec %v status %v\n", g.GetName(), g.GetUID(), g.GetResourceVersion(),
			g.Object["spec"], g.Object["status"])
	}
	queues, err := api.Resource(queueResource).List(ctx, metav1.ListOptions{})
	if err != nil {
		fmt.Fprintf(b, "queues: %v\n", err)
		return
	}
	for _, q := range queues.Items {
		if strings.HasPrefix(q.GetName(), ns) {
			fmt.Fprintf(b, "  queue %s spec %v status %v\n", q.GetName(), q.Object["spec"], q.Object["status"])
		}
	}
}

func sayEvents(ctx context.Context, b *strings.Builder, kube kubernetes.Interface, ns string) {
	events, err := kube.CoreV1().Events(ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		fmt.Fprintf(b, "events of %s: %v\n", ns, err)
		return
	}
	slices.SortFunc(events.Items, func(x, y corev1.Event) int { return x.LastTimestamp.Compare(y.LastTimestamp.Time) })
	for _, e := range events.Items[max(0, len(events.Items)-most):] {
		fmt.Fprintf(b, "  event %s %s/%s uid %s %s: %s\n", e.LastTimestamp.Format(time.TimeOnly), e.InvolvedObject.Kind,
			e.InvolvedObject.Name,
			e.InvolvedObject.UID, e.Reason, e.Message)
	}
}

// sayLog tells the last lines of a log that name a namespace.
func sayLog(b *strings.Builder, path, ns string) {
	f, err := os.Open(path)
	if err != nil {
		fmt.Fprintf(b, "%v\n", err)
		return
	}
	defer f.Close()
	var lines []string
	for in := bufio.NewScanner(f); in.Scan(); {
		if line := in.Text(); strings.Contains(line, ns) {
			lines = append(lines, line)
		}
	}
	for _, line := range lines[max(0, len(lines)-most):] {
		fmt.Fprintf(b, "  %s: %s\n", filepath.Base(path), line)
	}
}

// sayBelief asks a scheduler what it believes of the namespaces' pods and jobs. One that
// does not answer says so by that.
func sayBelief(ctx context.Context, b *strings.Builder, d dump, namespaces []string) {
	path := filepath.Join(d.dir, "ashlar-recordings", fmt.Sprintf("ashlar-report-%d.json", os.Getpid()))
	_ = os.Remove(path) // an older one would be believed
	select {
	case d.ask <- syscall.SIGUSR2:
	default:
		b.WriteString("the scheduler has not answered an earlier question\n")
		return
	}
	var told struct {
		Jobs []explain.Job
		Pods []explain.Pod
	}
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 10*time.Second, true,
		func(context.Context) (bool, error) {
			data, err := os.ReadFile(path)
			return err == nil && json.Unmarshal(data, &told) == nil, nil
		})
	if err != nil {
		fmt.Fprintf(b, "the scheduler does not say what it knows (it ended, or hangs): %v\n", err)
		return
	}
	for _, j := range told.Jobs {
		if slices.Contains(namespaces, j.Namespace) && j.Reason.Code != "" {
			fmt.Fprintf(b, "  believed: job %s in %s is %s with %v and waits: %s: %s\n", j.Name, j.Queue, j.Phase, j.Tasks,
				j.Reason.Code, j.Reason.Message)
		}
	}
	for _, p := range told.Pods {
		if slices.Contains(namespaces, p.Namespace) && p.Status != "Running" {
			fmt.Fprintf(b, "  believed: pod %s of job %s is %s on %q, nominated %q\n", p.Name, p.Job, p.Status, p.Node,
				p.NominatedNode)
		}
	}
}
