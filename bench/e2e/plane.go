package main

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	"volcano.sh/apis/pkg/client/clientset/versioned"

	"ashlar.sh/test/e2e/cluster"
)

const (
	namespace = "bench"
	scheduler = "ashlar"
	loaders   = 64 // requests at once when load is made
)

// plane is a control plane with nodes, and clients to it.
type plane struct {
	*cluster.Cluster
	kube    []kubernetes.Interface // over connections of their own
	volcano versioned.Interface
	nodes   []string
}

func newPlane(ctx context.Context, nodes int) (_ *plane, err error) {
	c, err := cluster.Start(ctx,
		cluster.Options{Flags: map[string][]string{"kube-apiserver": {"--max-requests-inflight=3000",
			"--max-mutating-requests-inflight=1000"}}})
	if err != nil {
		return nil, err
	}
	p := &plane{Cluster: c}
	defer func() {
		if err != nil {
			_ = c.Stop() // err says more
		}
	}()
	if err := c.InstallCRDs(ctx); err != nil {
		return nil, err
	}
	for range 4 {
		client, err := kubernetes.NewForConfig(protobuf(c.Config))
		if err != nil {
			return nil, err
		}
		p.kube = append(p.kube, client)
	}
	if p.volcano, err = versioned.NewForConfig(c.Config); err != nil {
		return nil, err
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := p.kube[0].CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	for i := range nodes {
		p.nodes = append(p.nodes, fmt.Sprintf("node-%05d", i))
	}
	return p, each(ctx, nodes, loaders, func(ctx context.Context, i int) error { return p.makeNode(ctx, p.nodes[i], i) })
}

// protobuf is a configuration with connections of its own: client-go shares those of
// configurations that dial alike.
func protobuf(config *rest.Config) *rest.Config {
	c := rest.CopyConfig(config)
	c.ContentType = "application/vnd.kubernetes.protobuf"
	c.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		return dialer.DialContext(ctx, network, address)
	}
	return c
}

func (p *plane) client(i int) kubernetes.Interface { return p.kube[i%len(p.kube)] }

func (p *plane) makeNode(ctx context.Context, name string, i int) error {
	room := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("64"),
		corev1.ResourceMemory: resource.MustParse("256Gi"), corev1.ResourcePods: resource.MustParse("110")}
	_, err := p.client(i).CoreV1().Nodes().Create(ctx, &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			corev1.LabelHostname: name, corev1.LabelTopologyZone: fmt.Sprint("zone-", i%3)}},
		Status: corev1.NodeStatus{Capacity: room, Allocatable: room},
	}, metav1.CreateOptions{})
	return err
}

// shape is what a round's pods belong to.
type shape struct {
	name string
	gang int // members of a PodGroup; 0: the pods have none
}

// makeGroups makes the PodGroups of so many pods.
func (p *plane) makeGroups(ctx context.Context, s shape, pods int) error {
	if s.gang == 0 {
		return nil
	}
	return each(ctx, (pods+s.gang-1)/s.gang, loaders, func(ctx context.Context, i int) error {
		_, err := p.volcano.SchedulingV1beta1().PodGroups(namespace).Create(ctx, &schedulingv1beta1.PodGroup{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("job-%05d", i)},
			Spec:       schedulingv1beta1.PodGroupSpec{MinMember: int32(s.gang), Queue: "default"},
		}, metav1.CreateOptions{})
		return err
	})
}

func (p *plane) makePods(ctx context.Context, s shape, pods int) error {
	return each(ctx, pods, loaders, func(ctx context.Context, i int) error { return p.makePod(ctx, s, i, "") })
}

// makePod makes the ith pod, on a node if one is named.
func (p *plane) makePod(ctx context.Context, s shape, i int, node string) error {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: podName(i)},
		Spec: corev1.PodSpec{SchedulerName: scheduler, NodeName: node,
			Containers: []corev1.Container{{Name: "main", Image: "image",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("500m"), corev1.ResourceMemory: resource.MustParse("1Gi")}}}}},
	}
	if s.gang > 0 {
		pod.Annotations = map[string]string{schedulingv1beta1.KubeGroupNameAnnotationKey: fmt.Sprintf("job-%05d", i/s.gang)}
	}
	_, err := p.client(i).CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{})
	return err
}

func podName(i int) string { return fmt.Sprintf("pod-%06d", i) }

// clear removes pods, PodGroups and events.
func (p *plane) clear(ctx context.Context, pods int) error {
	if err := each(ctx, pods, loaders, p.removePod); err != nil {
		return err
	}
	now := metav1.DeleteOptions{}
	if err := p.volcano.SchedulingV1beta1().PodGroups(namespace).DeleteCollection(ctx, now,
		metav1.ListOptions{}); err != nil {
		return err
	}
	return p.kube[0].CoreV1().Events(namespace).DeleteCollection(ctx, now, metav1.ListOptions{})
}

func (p *plane) removePod(ctx context.Context, i int) error {
	return p.client(i).CoreV1().Pods(namespace).Delete(ctx, podName(i),
		metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
}

// each calls do for 0 to n-1, so many at once, and returns the first error.
func each(ctx context.Context, n, atOnce int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan int)
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for i := range work {
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		work <- i
	}
	close(work)
	all.Wait()
	return context.Cause(ctx)
}
