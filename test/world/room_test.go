package world

import (
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/test/world/apimodel"
)

// others take room of nodes past all schedulers of this name: pods that are made with a node, as a kubelet's static
// pods, a DaemonSet's, or those of another scheduler, and nodes that offer less for a while.
type others struct {
	w      *World
	pods   *apimodel.Kind
	made   int
	since  map[types.UID]time.Time // when a pod of theirs came
	offers map[string]*window      // how many cores a node has offered
}

const systemNamespace = "kube-system"

func newOthers(w *World) *others {
	return &others{w: w, pods: w.api.Kind("", "pods"), since: map[types.UID]time.Time{}, offers: map[string]*window{}}
}

func (o *others) begin() {
	w := o.w
	w.make("", "namespaces", map[string]any{"metadata": map[string]any{"name": systemNamespace}})
	names := sorted(w.nodes.up)
	pick := func() string { return names[w.random.IntN(len(names))] }
	w.every(w.Trouble.Others, func() {
		if name := pick(); w.nodes.up[name] {
			w.did("a pod that came with its node")
			o.make(name)
		}
	})
	o.race()
	w.every(w.Trouble.Shrinks, func() {
		if name := pick(); w.nodes.up[name] {
			w.did("a node that offers less")
			o.offer(name, 1+w.random.IntN(nodeCores-1))
			w.seq.after(w.between(time.Second, w.longest()), func() { o.offer(name, nodeCores) })
		}
	})
}

// calm has nodes offer all they have. Pods that are there end when they would.
func (o *others) calm() {
	for i := range o.w.Nodes {
		o.offer(nodeName(i), nodeCores)
	}
}

// rest ends their pods: each that ends would change why others wait.
func (o *others) rest() {
	for _, p := range o.w.api.List(o.pods) {
		if p.Meta().GetNamespace() == systemNamespace {
			o.w.nodes.remove(p)
		}
	}
}

func (o *others) make(node string) *apimodel.Stored {
	o.made++
	lasts := o.w.between(5*time.Second, 10*time.Minute)
	p := map[string]any{"metadata": map[string]any{"name": fmt.Sprint("static-", o.made), "namespace": systemNamespace,
		"annotations": map[string]any{"kubernetes.io/config.source": "file", lastsAnnotation: lasts.String()}},
		"spec": map[string]any{"schedulerName": "default-scheduler", "nodeName": node, "terminationGracePeriodSeconds": 0,
			"containers": []any{map[string]any{"name": "main", "image": "main", "resources": map[string]any{
				"requests": map[string]any{"cpu": fmt.Sprint(1 + o.w.random.IntN(3)), "memory": "1Gi"}}}}}}
	o.w.make("", "pods", p)
	made := o.w.api.Get(o.pods, systemNamespace, fmt.Sprint("static-", o.made))
	o.since[made.Meta().GetUID()] = time.Now()
	o.w.seq.after(lasts+10*time.Second, func() { o.w.nodes.remove(made) })
	return made
}

// offer has a node offer so many cores.
func (o *others) offer(node string, cores int) {
	if o.w.nodes.up[node] && o.now(node) != int64(cores) {
		o.w.do(http.MethodPatch, o.w.nodes.nodes.Path("", node, "status"), map[string]any{"status": map[string]any{
			"allocatable": map[string]any{"cpu": fmt.Sprint(cores)}}})
	}
}

// now is how many cores a node offers.
func (o *others) now(node string) int64 {
	if n := o.w.api.Get(o.w.nodes.nodes, "", node); n != nil {
		return cores(text(n.Object, "status", "allocatable", "cpu"))
	}
	return 0
}

// wrote follows what nodes offer.
func (o *others) wrote(write apimodel.Write) {
	if write.Kind == o.w.nodes.nodes && write.After != nil {
		o.look(write.After.Meta().GetName())
	}
}

func (o *others) look(node string) {
	if o.offers[node] == nil {
		o.offers[node] = &window{}
	}
	o.offers[node].add(o.now(node))
}

// restored looks what nodes offer in the store that was put back.
func (o *others) restored() {
	for i := range o.w.Nodes {
		o.look(nodeName(i))
	}
}

// room is how many cores a node offers, as far as a scheduler may know.
func (o *others) room(node string) int64 {
	if o.offers[node] == nil {
		return nodeCores
	}
	return o.offers[node].most()
}

// unseen says that a pod came past the schedulers, and that they may not know of it yet.
func (o *others) unseen(p *apimodel.Stored) bool {
	since, is := o.since[p.Meta().GetUID()]
	return is && time.Since(since) <= seenWithin
}

// foreign checks that a scheduler deletes none of their pods.
func (c *checker) foreign(write apimodel.Write, p *apimodel.Stored) {
	if p.Meta().GetNamespace() == systemNamespace {
		c.w.wrong("%s deleted pod %s of another scheduler", write.Client, write.Key())
	}
}
