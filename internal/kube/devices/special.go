package devices

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/sched/ledger"
)

// Special is the claim that is made for a pod where a node meets its extended resources by devices: what it asks for,
// and which of its requests is for which container and resource.
type Special struct {
	Requests []resourcev1.DeviceRequest                `json:"requests"`
	Mappings []corev1.ContainerExtendedResourceRequest `json:"mappings"`
}

// SpecialPrefix begins the names of special claims of a pod.
func SpecialPrefix(pod string) string {
	const most = 63 - len(specialInfix) - 5
	return strings.TrimRight(pod[:min(len(pod), most)], "-.") + specialInfix
}

const specialInfix = "-extended-resources-"

// Claim is the special claim of a pod, as it is created.
func (s *Special) Claim(pod ledger.Key, uid, name string) *resourcev1.ResourceClaim {
	yes := true
	return &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: name,
			Annotations: map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: types.UID(uid),
				Controller: &yes}}},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: s.Requests}},
	}
}

// SpecialOf is the uid of the pod for which a claim says that a scheduler made it; "" of any other claim. A client
// that may create claims can write that.
func SpecialOf(c *resourcev1.ResourceClaim) string {
	if c == nil || c.Annotations[resourcev1.ExtendedResourceClaimAnnotation] != "true" {
		return ""
	}
	if o := metav1.GetControllerOfNoCopy(c); o != nil && o.Kind == "Pod" && o.APIVersion == "v1" {
		return string(o.UID)
	}
	return ""
}

// specialClaims are those by the uids of their pods, namespace/name.
type specialClaims struct {
	d *Devices

	of map[string]map[string]bool
}

// note notes for which pod's uid a claim was a special one, and is; "": for none.
func (s *specialClaims) note(key, was, is string) {
	if was == is {
		return
	}
	if delete(s.of[was], key); len(s.of[was]) == 0 {
		delete(s.of, was)
	}
	if is != "" {
		if s.of[is] == nil {
			s.of[is] = map[string]bool{}
		}
		s.of[is][key] = true
	}
}

// concern says that something may have to be written for a task: it has claims, or one was made for it before, or its
// status names one: where that is gone, and no class stands for the resource any more, a kubelet would wait for it.
func (s *specialClaims) concern(task *ledger.Task) bool {
	p, known := task.Pod.Opaque.(*corev1.Pod)
	return s.d.Concerns(task.Pod.Spec) || len(s.of[task.Pod.UID]) > 0 ||
		known && p.Status.ExtendedResourceClaimStatus != nil
}

// mostLeft bounds how many special claims of a pod are seen to: so many that have devices, and so many that have none,
// since a tenant makes as many of those as it likes. What is beyond that goes with the pod.
const mostLeft = 8

// left are the special claims of a pod. Of a pod that has no node all are left over: a scheduler that ended made
// them, or a binding failed. One that the pod's spec names is not: a template may say of its claims what a scheduler
// says of those that it makes. Nor is one that another pod uses. One that is being deleted is while it has devices: its
// finalizer keeps it, with the devices, until these are taken back.
func (s *specialClaims) left(task *ledger.Task) []Claimed {
	return s.leftOf(task, func(*resourcev1.ResourceClaim) bool { return true })
}

// leftOf are those of left for which is returns true, those that have devices first.
func (s *specialClaims) leftOf(task *ledger.Task, is func(*resourcev1.ResourceClaim) bool) (out []Claimed) {
	keys := s.of[task.Pod.UID]
	if len(keys) == 0 {
		return nil
	}
	named, idle := ClaimsOf(task), []Claimed(nil)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		c := s.d.claims[key].fact
		going := c.DeletionTimestamp != nil && c.Status.Allocation == nil
		if c.Namespace != task.Key.Namespace || going || s.d.claims[key].others(task.Pod.UID) > 0 ||
			slices.Contains(named, key) || !is(c) {
			continue
		}
		of := &out
		if c.Status.Allocation == nil {
			of = &idle
		}
		if len(*of) < mostLeft {
			*of = append(*of, Claimed{Name: c.Name, UID: string(c.UID)})
		}
	}
	return append(out, idle...)
}

// devices are those of the claims that are left of a pod: they are free for it alone.
func (s *specialClaims) devices(q *question) (out []*resourcev1.AllocationResult) {
	for _, c := range q.left {
		if a := s.d.claims[q.pod.Namespace+"/"+c.Name].fact.Status.Allocation; a != nil {
			out = append(out, a)
		}
	}
	return out
}

// special is what a pod lacks on a node for extended resources, as a claim that does not exist yet; nil: nothing.
func (qu *questions) special(q *question, names []string) *need {
	switch {
	case len(names) == 0:
		return nil
	case len(names) == len(q.names) && q.special != nil:
		return q.special
	}
	id := strings.Join(names, "\x00")
	if known, asked := q.specials[id]; asked {
		return known
	}
	if q.specials == nil {
		q.specials = map[string]*need{}
	}
	q.specials[id] = nil
	made := specialFor(q.pod, names, qu.d.classes.standsFor)
	if len(made.Requests) == 0 {
		return nil
	}
	pod := ledger.Key{Namespace: q.pod.Namespace, Name: q.pod.Name}
	claim := made.Claim(pod, q.uid, pod.Name+specialInfix) // no claim has such a name
	claim.UID = types.UID(q.uid)
	q.specials[id] = &need{key: claim.Namespace + "/" + claim.Name, alias: strings.Join(names, ", "), claim: claim,
		special: made}
	return q.specials[id]
}

// specialFor is what the claim of a pod asks for, by Kubernetes' rules. Each container that runs as long as the pod
// does has a request of its own for each resource. Init containers that end before others begin use what the containers
// after them have; of what they lack beyond that there is one request, for the one that lacks most.
func specialFor(pod *corev1.Pod, names []string, classOf func(string) string) *Special {
	out := &Special{}
	all := slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers)
	for _, name := range names {
		o := resourceOf{name: name, class: classOf(name), containers: all, inits: len(pod.Spec.InitContainers)}
		o.ask()
		out.Requests = append(out.Requests, o.requests...)
		out.Mappings = append(out.Mappings, o.mappings...)
	}
	slices.SortFunc(out.Requests, func(a, b resourcev1.DeviceRequest) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// resourceOf is one extended resource of a pod.
type resourceOf struct {
	name, class string
	containers  []corev1.Container // init containers first
	inits       int

	requests []resourcev1.DeviceRequest
	mappings []corev1.ContainerExtendedResourceRequest
}

func (o *resourceOf) ask() {
	lasting := make([]int64, len(o.containers))
	for i := range o.containers {
		if o.ends(i) {
			continue
		}
		if lasting[i] = wanted(&o.containers[i], o.name); lasting[i] > 0 {
			o.request(o.requestOf(i), lasting[i])
			o.use(i, o.requestOf(i))
		}
	}
	most, by, lacks := int64(0), -1, []int(nil)
	for i := range o.inits {
		want := wanted(&o.containers[i], o.name)
		if !o.ends(i) || want <= 0 {
			continue
		}
		for j := i; j < len(o.containers) && want > 0; j++ {
			if lasting[j] > 0 {
				want -= lasting[j]
				o.use(i, o.requestOf(j))
			}
		}
		if want > 0 {
			lacks = append(lacks, i)
			if want > most {
				most, by = want, i
			}
		}
	}
	if by < 0 {
		return
	}
	o.request(o.requestOf(by), most)
	for _, i := range lacks {
		o.use(i, o.requestOf(by))
	}
}

// ends says that a container ends before others begin.
func (o *resourceOf) ends(i int) bool {
	restart := o.containers[i].RestartPolicy
	return i < o.inits && (restart == nil || *restart != corev1.ContainerRestartPolicyAlways)
}

// requestOf is the name of a container's request: by its place among the containers, and that of the resource among
// all that the container asks for.
func (o *resourceOf) requestOf(i int) string {
	at := 0
	for name := range o.containers[i].Resources.Requests { // order-free: counted
		if string(name) < o.name {
			at++
		}
	}
	return fmt.Sprintf("container-%d-request-%d", i, at)
}

func (o *resourceOf) request(name string, count int64) {
	o.requests = append(o.requests, resourcev1.DeviceRequest{Name: name, Exactly: &resourcev1.ExactDeviceRequest{
		DeviceClassName: o.class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count}})
}

func (o *resourceOf) use(i int, request string) {
	o.mappings = append(o.mappings, corev1.ContainerExtendedResourceRequest{ContainerName: o.containers[i].Name,
		ResourceName: o.name, RequestName: request})
}
