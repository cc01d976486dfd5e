package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/internal/kube/translate"
)

// soakGang is a gang, or without a PodGroup a lone pod, as it is meant to be.
type soakGang struct {
	name, queue, priority, cpu string
	members, least             int
	owned                      bool // somebody makes its pods anew
	lone                       bool
	lasts                      string
	preemptable, gated         bool
	life                       int
}

const leastMark = "e2e.ashlar.sh/least"

// leastOf is how many of its gang a pod says must be bound.
func leastOf(p *corev1.Pod) int {
	n, _ := strconv.Atoi(p.Annotations[leastMark]) // of a lone pod 0
	return n
}

func (g *soakGang) pod(ns string, owner *corev1.ConfigMap, i int) *corev1.Pod {
	p := member(ns, g.name, i, g.cpu)
	p.Spec.SchedulerName, p.Spec.PriorityClassName = ns, g.priority
	p.Annotations[lifeMark], p.Annotations[leastMark] = g.mark(), strconv.Itoa(g.least)
	if g.lone {
		delete(p.Annotations, "scheduling.k8s.io/group-name")
		delete(p.Annotations, leastMark)
		p.Annotations["scheduling.volcano.sh/queue-name"] = g.queue
	}
	if g.lasts != "" {
		p.Annotations["ashlar.sh/duration"] = g.lasts
	}
	if g.preemptable {
		p.Annotations["volcano.sh/preemptable"] = "true"
	}
	if g.gated {
		p.Annotations[translate.QueueGate] = "true"
		p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: translate.QueueGate}}
	}
	if g.owned {
		p.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner,
			corev1.SchemeGroupVersion.WithKind("ConfigMap"))}
	}
	return p
}

func (g *soakGang) mark() string { return fmt.Sprintf("/%d", g.life) }

// fine passes what another client, or the scheduler, may have done first.
func (s *soak) fine(err error) {
	s.t.Helper()
	if err != nil && !errors.IsNotFound(err) && !errors.IsAlreadyExists(err) && !errors.IsConflict(err) {
		s.t.Fatal(err)
	}
}

func (s *soak) ctx() context.Context { return s.t.Context() }

func (s *soak) makeQueues() {
	s.t.Helper()
	s.queue()
	s.queues = []string{s.ns, s.ns + "-heavy", s.ns + "-capped"}
	weighted(s.t, s.ns+"-heavy", 3)
	queues := s.dynamic.Resource(queueResource)
	capped := object("Queue", s.ns+"-capped", map[string]any{"weight": int64(1), "capability": map[string]any{"cpu": "9"}})
	_, err := queues.Create(s.ctx(), capped, metav1.CreateOptions{})
	s.fine(err)
	// the test is over
	s.t.Cleanup(func() { _ = queues.Delete(context.Background(), capped.GetName(), metav1.DeleteOptions{}) })
}

// submit makes a gang of a name, which may have been another's.
func (s *soak) submit(name string) {
	s.lives++
	r := s.random
	g := &soakGang{name: name, queue: s.queues[r.IntN(len(s.queues))], cpu: fmt.Sprint(1 + r.IntN(3)), members: 1 +
		r.IntN(5),
		owned: r.IntN(2) == 0, lone: r.IntN(4) == 0, preemptable: r.IntN(2) == 0, gated: r.IntN(8) == 0, life: s.lives,
		priority: []string{"", s.ns + "-low", s.ns + "-high"}[r.IntN(3)], lasts: []string{"", "", "500ms", "3s"}[r.IntN(4)]}
	g.least = 1 + r.IntN(g.members)
	if g.lone {
		g.members, g.least, g.owned = 1, 1, false
	}
	s.gangs[name] = g
	groupLast := r.IntN(3) == 0
	if !groupLast {
		s.group(g)
	}
	for i := range g.members {
		s.pod(g, i)
	}
	if groupLast {
		s.group(g)
	}
}

func (s *soak) group(g *soakGang) {
	s.t.Helper()
	if g.lone {
		return
	}
	spec := map[string]any{"minMember": int64(g.least), "queue": g.queue}
	if g.priority != "" {
		spec["priorityClassName"] = g.priority
	}
	_, err := s.dynamic.Resource(podGroupResource).Namespace(s.ns).Create(s.ctx(), object("PodGroup", g.name, spec),
		metav1.CreateOptions{})
	s.fine(err)
}

func (s *soak) pod(g *soakGang, i int) {
	s.t.Helper()
	_, err := s.kube.CoreV1().Pods(s.ns).Create(s.ctx(), g.pod(s.ns, s.owner, i), metav1.CreateOptions{})
	s.fine(err)
}

// removePod deletes a pod: at once, or as a user does and kwok ends it.
func (s *soak) removePod(name string, uid *types.UID, now bool) {
	s.t.Helper()
	o := metav1.DeleteOptions{}
	if uid != nil {
		o.Preconditions = &metav1.Preconditions{UID: uid}
	}
	if now {
		zero := int64(0)
		o.GracePeriodSeconds = &zero
	}
	s.fine(s.kube.CoreV1().Pods(s.ns).Delete(s.ctx(), name, o))
}

func (s *soak) removeGroup(g *soakGang) {
	s.t.Helper()
	s.fine(s.dynamic.Resource(podGroupResource).Namespace(s.ns).Delete(s.ctx(), g.name, metav1.DeleteOptions{}))
}

// spare says that what a gang stands like from now on is not the scheduler's doing alone.
func (s *soak) spare(g *soakGang) { s.spared[g.name+g.mark()] = true }

// remove ends a gang.
func (s *soak) remove(g *soakGang) {
	s.spare(g)
	delete(s.gangs, g.name)
	if s.random.IntN(2) == 0 {
		s.removeGroup(g)
	}
	for i := range g.members {
		s.removePod(fmt.Sprintf("%s-%d", g.name, i), nil, true)
	}
	s.removeGroup(g)
}

// any draws a gang that is there, nil when there is none.
func (s *soak) any() *soakGang {
	names := slices.Sorted(maps.Keys(s.gangs))
	if len(names) == 0 {
		return nil
	}
	return s.gangs[names[s.random.IntN(len(names))]]
}

// controllers do what a cluster's controllers would: a missing pod of an owned gang is made anew,
// the pods of nodes that are gone are removed, a scheduler that ended is started.
func (s *soak) controllers() {
	s.t.Helper()
	if time.Since(s.cared) < 300*time.Millisecond {
		return
	}
	s.cared = time.Now()
	s.alive()
	for i := 0; i < len(s.held); i++ {
		if time.Now().After(s.held[i].until) {
			s.held[i].letGo()
			s.held = slices.Delete(s.held, i, i+1)
		}
	}
	pods, err := s.kube.CoreV1().Pods(s.ns).List(s.ctx(), metav1.ListOptions{})
	s.fine(err)
	there := map[string]bool{}
	for _, p := range pods.Items {
		there[p.Name] = true
		if p.Spec.NodeName != "" && !s.nodes[p.Spec.NodeName] {
			s.spared[gangOf(&p)] = true
			s.removePod(p.Name, &p.UID, true)
			s.changed = time.Now()
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.gangs)) {
		g := s.gangs[name]
		for i := 0; g.owned && i < g.members; i++ {
			if !there[fmt.Sprintf("%s-%d", name, i)] {
				s.pod(g, i)
				s.changed = time.Now()
			}
		}
	}
}

func (s *soak) cordon(node string, closed bool) {
	s.t.Helper()
	patch := fmt.Sprintf(`{"spec":{"unschedulable":%t}}`, closed)
	_, err := s.kube.CoreV1().Nodes().Patch(s.ctx(), node, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	s.fine(err)
}

// comes makes a node that is not there.
func (s *soak) comes(name string) {
	s.t.Helper()
	if s.nodes[name] {
		return
	}
	s.nodes[name] = true
	room := corev1.ResourceList{corev1.ResourceCPU: *resource.NewQuantity(soakCores, resource.DecimalSI),
		corev1.ResourceMemory: resource.MustParse("64Gi"), corev1.ResourcePods: resource.MustParse("110")}
	_, err := s.kube.CoreV1().Nodes().Create(s.ctx(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name},
		Status: corev1.NodeStatus{Capacity: room, Allocatable: room}}, metav1.CreateOptions{})
	s.fine(err)
}

func (s *soak) goes(name string) {
	s.t.Helper()
	if !s.nodes[name] {
		return
	}
	s.nodes[name] = false
	s.fine(s.kube.CoreV1().Nodes().Delete(s.ctx(), name, metav1.DeleteOptions{}))
}

// pauses stops the scheduler's process for less than its lease lasts.
func (s *soak) pauses() {
	_ = s.scheduler.cmd.Process.Signal(syscall.SIGSTOP) // it may just have ended
	pause := time.NewTimer(time.Duration(100+s.random.IntN(900)) * time.Millisecond)
	<-pause.C
	_ = s.scheduler.cmd.Process.Signal(syscall.SIGCONT)
}
