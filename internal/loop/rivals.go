package loop

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/internal/kube/translate"
)

// rivalSchedulers looks for other processes that schedule the same pods.
type rivalSchedulers struct {
	l *loop

	notReady struct { // why it has not, as last logged
		text string
		at   time.Time
	}
	kube  kubernetes.Interface
	token string // the file with this pod's token; "": where Kubernetes mounts it
	told  string // the scheduler that acts beside this one, as last told; "": none
}

// lookAgain is how often a scheduler that acts looks for others that came after it.
const lookAgain = 5 * time.Minute

// volcanosNamespace is where Volcano's chart is installed, and where schedulers have their lease
// unless a flag says otherwise.
const volcanosNamespace = "volcano-system"

// schedulers are the labels of scheduler pods of Volcano's chart and of ours.
var schedulers = []string{"app=volcano-scheduler", "app.kubernetes.io/name=ashlar"}

// unheard is for how long after its grace period a deleted pod counts as running: its node may not answer any more.
const unheard = 30 * time.Second

// rival is another scheduler that would act at the same time as this one. Volcano's chart does
// not elect a leader by default, so that a rolling update runs the old scheduler and the new one
// side by side, and a second installation acts beside the first.
type rival struct {
	pod       string
	names     []string // the schedulerNames of the pods that it binds
	lease     string   // namespace/name; "": it acts without one
	image     string
	namespace string
	ring      observe.Ring // of schedulers that share nodes and jobs with it
	since     time.Time    // when its container was started, as its status shows; zero: it does not run
}

// before says that a replica was started before this one, and so acts. Of two that run side by side without a lease,
// as while a Deployment is restarted, one alone may act. Where it is not shown yet when this one was started, it is
// the last.
func (r rival) before(self rival) bool {
	if r.since.IsZero() {
		return false
	}
	return self.since.IsZero() || r.since.Before(self.since) || r.since.Equal(self.since) && r.pod < self.pod
}

// places are the namespaces in which schedulers run. Others are not looked at: a tenant could
// make a pod there that looks like a scheduler's and keep this one waiting.
func (rs *rivalSchedulers) places() []string {
	out := []string{volcanosNamespace}
	if rs.l.o.Election != nil {
		out = append(out, rs.l.o.Election.Namespace)
	}
	if own := PodNamespace(); own != "" {
		out = append(out, own)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// running lists the pods that run schedulers.
func (rs *rivalSchedulers) running(ctx context.Context) (pods []corev1.Pod, err error) {
	for _, namespace := range rs.places() {
		for _, label := range schedulers {
			list, err := rs.kube.CoreV1().Pods(namespace).List(ctx,
				metav1.ListOptions{LabelSelector: label, FieldSelector: "status.phase=Running"})
			if err != nil {
				return nil, fmt.Errorf("look for other schedulers: %w", err)
			}
			pods = append(pods, list.Items...)
		}
	}
	return pods, nil
}

// find returns the first scheduler that acts for one of our names and that the lease of this process does not keep
// waiting; nil without one.
func (rs *rivalSchedulers) find(ctx context.Context) (*rival, error) {
	own := ownPod(rs.token).name()
	pods, err := rs.running(ctx)
	if err != nil {
		return nil, err
	}
	var found []rival
	self := rival{}
	for i := range pods {
		switch r := rivalOf(&pods[i]); {
		case pods[i].Name == own:
			self = r
		case r.image != "" && !ended(&pods[i], time.Now()):
			found = append(found, r)
		}
	}
	for _, r := range found {
		if !slices.ContainsFunc(r.names, rs.schedules) {
			continue // it is for other pods
		}
		if r.namespace == self.namespace && r.image == self.image && !r.before(self) {
			continue // a replica that waits for this one
		}
		if ring := rs.l.o.Ring; ring.Shared() && r.ring.Base == ring.Base && r.ring.Size == ring.Size &&
			r.ring.Index() != ring.Index() {
			continue // it has another part of the same ring
		}
		if o := rs.l.o.Election; o == nil || r.lease != o.Namespace+"/"+o.Name {
			return &r, nil
		}
	}
	return nil, nil
}

func (rs *rivalSchedulers) schedules(name string) bool {
	return slices.Contains(rs.l.o.SchedulerNames, name)
}

// ended says that a pod which is deleted has had time to end.
func ended(p *corev1.Pod, now time.Time) bool {
	return p.DeletionTimestamp != nil && now.Sub(p.DeletionTimestamp.Time) > unheard // it includes the grace
}

// rivalOf reads from a pod the flags of its scheduler; its image is "" if no container of the pod is a scheduler.
func rivalOf(p *corev1.Pod) rival {
	for _, c := range p.Spec.Containers {
		line := append(slices.Clone(c.Command), c.Args...)
		if !slices.ContainsFunc(line, func(s string) bool { return strings.HasPrefix(s, "--scheduler-") }) {
			continue
		}
		r := rival{pod: p.Namespace + "/" + p.Name, namespace: p.Namespace, image: c.Image,
			names: given(line, "scheduler-name"), ring: ringOf(p.Name, c.Env), since: startOf(p, c.Name)}
		if len(r.names) == 0 {
			r.names = []string{translate.DefaultScheduler}
		}
		if elects := given(line, "leader-elect"); len(elects) > 0 && elects[len(elects)-1] == "false" {
			return r
		}
		namespace, name := volcanosNamespace, translate.DefaultScheduler
		if len(r.names) == 1 {
			name = r.names[0]
		}
		for _, flag := range []string{"lock-object-namespace", "leader-elect-resource-namespace"} {
			if values := given(line, flag); len(values) > 0 {
				namespace = values[len(values)-1]
			}
		}
		if values := given(line, "leader-elect-resource-name"); len(values) > 0 {
			name = values[len(values)-1]
		}
		r.lease = namespace + "/" + name
		return r
	}
	return rival{}
}

// startOf is when a container of a pod was started; zero where it does not run.
func startOf(p *corev1.Pod, container string) time.Time {
	for _, c := range p.Status.ContainerStatuses {
		if c.Name == container && c.State.Running != nil {
			return c.State.Running.StartedAt.Time
		}
	}
	return time.Time{}
}

// ringOf is the ring that a scheduler's pod takes part in, by its environment.
func ringOf(pod string, env []corev1.EnvVar) (r observe.Ring) {
	value := func(name string) string {
		if i := slices.IndexFunc(env, func(e corev1.EnvVar) bool { return e.Name == name }); i >= 0 {
			return env[i].Value
		}
		return ""
	}
	if value(observe.RingEnable) == "true" {
		size, _ := strconv.Atoi(value(observe.RingSize)) // of what is no number the ring has one
		r, _ = observe.NewRing(pod, size)                // of no ring it has no part
	}
	return r
}

// given are the values of a flag in a command line, written --flag=value or --flag value.
func given(line []string, flag string) (values []string) {
	for i, s := range line {
		name, value, joined := strings.Cut(strings.TrimLeft(s, "-"), "=")
		switch {
		case !strings.HasPrefix(s, "-") || name != flag:
		case joined:
			values = append(values, value)
		case i+1 < len(line) && !strings.HasPrefix(line[i+1], "-"):
			values = append(values, line[i+1])
		}
	}
	return values
}

// await returns an error while another scheduler acts for the same pods: two such schedulers would bind different pods
// to the same room.
func (rs *rivalSchedulers) await(ctx context.Context) error {
	r, err := rs.find(ctx)
	switch {
	case err != nil:
		return err
	case r == nil:
		return nil
	case r.lease == "":
		return fmt.Errorf("pod %s runs a scheduler for %s without a lease (image %s): this one begins when that pod has "+
			"ended; "+
			"scale its Deployment to 0, or give this one another --scheduler-name", r.pod, strings.Join(r.names, ", "), r.image)
	}
	return fmt.Errorf("pod %s runs a scheduler for %s with the lease %s, which is not this one's (image %s): this one "+
		"begins when "+
		"that pod has ended; scale its Deployment to 0, or give this one that lease", r.pod, strings.Join(r.names, ", "),
		r.lease, r.image)
}

// keepLooking looks for schedulers that come while this one acts, until ctx ends. This one goes on: it cannot tell
// whether the other one does, and its jobs are not to wait for either.
func (rs *rivalSchedulers) keepLooking(ctx context.Context) {
	for waitUntil(ctx, time.Now().Add(lookAgain)) {
		if !rs.l.lead.leading() {
			continue // for a moment, or this run ends
		}
		rs.l.withoutPanic("looking for other schedulers", func() { // a panic is no reason to look no more
			brief, cancel := context.WithTimeout(ctx, briefly)
			defer cancel()
			rs.look(brief)
		})
	}
}

// look tells in the log and in a metric whether another scheduler acts for the same pods, where that has changed.
func (rs *rivalSchedulers) look(ctx context.Context) {
	r, err := rs.find(ctx)
	switch {
	case err != nil:
		klog.V(2).InfoS("It is not known whether another scheduler acts for the same pods", "err", err)
	case r == nil && rs.told != "":
		rs.told = ""
		rs.l.metrics.beside.Set(0)
		klog.InfoS("No other scheduler acts for the same pods any more")
	case r != nil && rs.told != r.pod:
		rs.told = r.pod
		rs.l.metrics.beside.Set(1)
		klog.ErrorS(nil, "Another scheduler runs for the same pods and does not wait for this one's lease: both may bind "+
			"pods to the same room; scale the Deployment of one to 0, or give it another --scheduler-name",
			"pod", r.pod, "schedulerNames", r.names, "lease", r.lease, "image", r.image)
	}
}

// sayNotReady logs why nothing is decided yet, at once and then twice a minute.
func (rs *rivalSchedulers) sayNotReady(err error, now time.Time) {
	if text := err.Error(); text != rs.notReady.text || now.Sub(rs.notReady.at) >= 30*time.Second {
		rs.notReady.text, rs.notReady.at = text, now
		klog.ErrorS(err, "Not ready to decide yet")
	}
}
