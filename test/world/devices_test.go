package world

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/test/world/apimodel"
)

// devices play the drivers, which tell which devices nodes have, and Kubernetes' controller of resource claims, which
// takes devices back from claims that no pod uses any more. Each pod of some jobs has a claim of its name.
type devices struct {
	w                       *World
	classes, slices, claims *apimodel.Kind
	gone                    map[string]time.Time    // since when a node's driver tells of no devices
	left                    map[types.UID]time.Time // since when a claim is not used that a scheduler made
}

const (
	deviceClass  = "cards"
	deviceDriver = "cards.world.ashlar.sh"
	nodeDevices  = 3
)

func newDevices(w *World) *devices {
	const group = "resource.k8s.io"
	return &devices{w: w, classes: w.api.Kind(group, "deviceclasses"), slices: w.api.Kind(group, "resourceslices"),
		claims: w.api.Kind(group, "resourceclaims"), gone: map[string]time.Time{},
		left: map[types.UID]time.Time{}}
}

func (d *devices) begin() {
	if !d.w.Devices {
		return
	}
	spec := map[string]any{"selectors": []any{map[string]any{"cel": map[string]any{
		"expression": fmt.Sprintf("device.driver == %q", deviceDriver)}}}}
	if d.w.Extended {
		spec["extendedResourceName"] = extendedResource
	}
	d.w.post(d.classes, map[string]any{"metadata": map[string]any{"name": deviceClass}, "spec": spec})
	d.tend()
	w := d.w
	w.every(w.Trouble.Drivers, func() {
		if node := nodeName(w.random.IntN(w.Nodes)); w.nodes.up[node] && d.gone[node].IsZero() {
			w.did("a driver that is gone")
			d.fail(node)
			w.seq.after(w.between(time.Second, w.longest()), func() { d.again(node) })
		}
	})
}

// again has a node's driver tell what the node has, if it does not.
func (d *devices) again(node string) {
	if !d.gone[node].IsZero() && d.w.nodes.up[node] {
		d.come(node)
	}
}

func (d *devices) calm() {
	for i := range d.w.Nodes {
		d.again(nodeName(i))
	}
}

// restored looks what drivers tell in a store that was put back.
func (d *devices) restored() {
	if !d.w.Devices {
		return
	}
	for i := range d.w.Nodes {
		name := nodeName(i)
		if d.w.api.Get(d.slices, "", name) != nil {
			delete(d.gone, name)
		} else if d.gone[name].IsZero() {
			d.gone[name] = time.Now()
		}
	}
}

// come has a node's driver tell what the node has.
func (d *devices) come(node string) {
	if !d.w.Devices {
		return
	}
	delete(d.gone, node)
	list := []any{}
	for i := range nodeDevices {
		list = append(list, map[string]any{"name": fmt.Sprint("card-", i)})
	}
	d.w.post(d.slices, map[string]any{"metadata": map[string]any{"name": node}, "spec": map[string]any{
		"driver": deviceDriver, "nodeName": node, "devices": list,
		"pool": map[string]any{"name": node, "generation": 1, "resourceSliceCount": 1}}})
}

// fail has a node's devices go with it.
func (d *devices) fail(node string) {
	if d.w.Devices {
		d.gone[node] = time.Now()
		d.w.do(http.MethodDelete, d.slices.Path("", node), map[string]any{})
	}
}

// asks draws how many devices each pod of a job asks for: any gang fits.
func (d *devices) asks(one *job) {
	w := d.w
	if !w.Devices || one.zone != "" || !w.chance(0.4) {
		return
	}
	if one.devices = 1; w.chance(0.2) {
		one.devices, one.least = 2, min(one.least, w.Nodes)
	}
	switch {
	case w.Extended && w.chance(0.6):
		one.extended = true
	case w.Shared && w.chance(0.4):
		one.shared, one.cores = true, 1 // all its pods run on one node
	case w.Templates && w.chance(0.5):
		one.template = true
	}
}

// within has a job ask for no more devices than its queue deserves whatever all of them ask for: two gangs of two
// queues that ask for more may wait for each other for ever, as in Volcano.
func (d *devices) within(one *job) {
	if d.w.Seed < fullerFrom || one.devices == 0 {
		return
	}
	due := d.w.Nodes * nodeDevices * weights[slices.Index(queueNames, one.queue)] / 8
	if one.least*one.devices > due {
		one.devices, one.least = 1, min(one.least, max(1, due))
	}
	if due == 0 {
		one.devices, one.extended, one.shared, one.template = 0, false, false, false
	}
}

// claims writes into the spec of a pod which claim it has.
func (one *job) claims(spec map[string]any, pod string) {
	if one.extended {
		one.extendedInto(spec)
		return
	}
	claim := map[string]any{"name": claimOfPod}
	switch {
	case one.template:
		claim["resourceClaimTemplateName"] = one.name
	case one.shared:
		claim["resourceClaimName"] = one.name
	default:
		claim["resourceClaimName"] = pod
	}
	spec["resourceClaims"] = []any{claim}
	for _, c := range spec["containers"].([]any) {
		asMap(asMap(c)["resources"])["claims"] = []any{map[string]any{"name": "cards"}}
	}
}

// claimsItself says that a job comes with its claims for devices; those of others a controller or a scheduler makes.
func (one *job) claimsItself() bool { return one.devices > 0 && !one.template && !one.extended }

// claim makes the claim of a pod that has none.
func (d *devices) claim(one *job, pod string) {
	name := d.nameOf(one, pod)
	if !one.claimsItself() || d.w.api.Get(d.claims, userNamespace, name) != nil {
		return
	}
	d.w.did("a claim for devices")
	if one.shared {
		d.w.did("a claim that pods share")
	}
	d.w.post(d.claims, one.claim(map[string]any{"name": name, "namespace": userNamespace}))
}

// claim is a claim for the devices of a job's pod.
func (one *job) claim(metadata map[string]any) map[string]any {
	return map[string]any{"metadata": metadata,
		"spec": map[string]any{"devices": map[string]any{"requests": []any{map[string]any{"name": "cards",
			"exactly": map[string]any{"deviceClassName": deviceClass, "allocationMode": "ExactCount",
				"count": int64(one.devices)}}}}}}
}

func (d *devices) unclaim(one *job, pod string) {
	if one.claimsItself() {
		d.w.do(http.MethodDelete, d.claims.Path(userNamespace, d.nameOf(one, pod)), map[string]any{})
	}
}

// tend looks after all claims, again and again, as Kubernetes' controller does.
func (d *devices) tend() {
	d.generate()
	for _, c := range d.w.api.List(d.claims) {
		d.ungenerate(c)
		d.leftOver(c)
		d.free(c)
	}
	d.w.seq.after(d.w.between(500*time.Millisecond, 5*time.Second), d.tend)
}

// free takes a claim's devices back where no pod that is there uses them.
func (d *devices) free(c *apimodel.Stored) {
	m := c.Meta()
	status := asMap(m.DeepCopy().Object["status"])
	used, _ := status["reservedFor"].([]any)
	left := slices.DeleteFunc(slices.Clone(used), func(x any) bool { return !d.lives(asMap(x)) })
	leaves := m.GetDeletionTimestamp() != nil
	if len(left) > 0 || len(used) == 0 && !leaves {
		return
	}
	object := m.DeepCopy().Object
	delete(status, "reservedFor")
	if status["allocation"] != nil {
		d.w.did("devices taken back")
	}
	delete(status, "allocation")
	object["status"] = status
	d.w.do(http.MethodPut, d.claims.Path(userNamespace, m.GetName(), "status"), object)
	if now := d.w.api.Get(d.claims, userNamespace, m.GetName()); now != nil && len(m.GetFinalizers()) > 0 {
		object = now.Meta().DeepCopy().Object
		delete(asMap(object["metadata"]), "finalizers")
		d.w.do(http.MethodPut, d.claims.Path(userNamespace, m.GetName()), object)
	}
}

// lives says that the pod for which a claim is reserved is there and has not ended.
func (d *devices) lives(of map[string]any) bool {
	p := d.w.api.Get(d.w.jobs.pods, userNamespace, fmt.Sprint(of["name"]))
	if p == nil || string(p.Meta().GetUID()) != fmt.Sprint(of["uid"]) {
		return false
	}
	return !ended(p)
}

// allocated are the devices that a claim has: node and name.
func allocated(c *apimodel.Stored) (out []string) {
	results, _ := asMap(asMap(asMap(c.Object["status"])["allocation"])["devices"])["results"].([]any)
	for _, x := range results {
		out = append(out, text(asMap(x), "pool")+"/"+text(asMap(x), "device"))
	}
	return out
}

// wrote checks that no device is allocated to two claims, and that no claim is taken from a pod.
func (d *devices) wrote(write apimodel.Write) {
	if write.Kind != d.claims || write.After == nil || time.Since(d.w.check.restoredAt) < blind {
		return
	}
	has := allocated(write.After)
	if len(has) > 0 && isScheduler(write.Client) && (write.Before == nil || len(allocated(write.Before)) == 0) {
		d.w.did("devices allocated")
		d.offered(write, has[0])
	}
	d.kept(write)
	for _, other := range d.w.api.List(d.claims) {
		if other.Meta().GetUID() == write.After.Meta().GetUID() {
			continue
		}
		for _, device := range allocated(other) {
			if slices.Contains(has, device) {
				d.w.wrong("%s gives device %s to claim %s, which claim %s has", write.Client, device, write.Key(),
					other.Meta().GetName())
			}
		}
	}
}

// offered checks that a device that is given was offered lately. What a claim has it keeps, as with kube-scheduler.
func (d *devices) offered(write apimodel.Write, device string) {
	node, _, _ := strings.Cut(device, "/")
	since, is := d.gone[node]
	if is && time.Since(since) > countedAfter && time.Since(d.w.check.restoredAt) > seenWithin {
		d.w.wrong("%s gives device %s to claim %s, and its driver is gone for %s", write.Client, device, write.Key(),
			time.Since(since))
	}
}

// bound checks that a pod that is bound has its devices, on the node that it is bound to.
func (d *devices) bound(write apimodel.Write, one *job, node string) {
	if one.devices == 0 || time.Since(d.w.check.restoredAt) < blind {
		return
	}
	d.w.did("a pod with devices bound")
	c := d.w.api.Get(d.claims, userNamespace, d.nameOf(one, write.After.Meta().GetName()))
	switch {
	case one.shared:
		d.w.did("a pod with a shared claim bound")
	case one.template:
		d.w.did("a pod with a claim from a template bound")
	case one.extended:
		d.w.did("a pod with an extended resource bound")
	}
	switch {
	case c == nil || len(allocated(c)) != one.devices:
		d.w.wrong("pod %s is bound, and its claim does not have %d devices", write.Key(), one.devices)
	case slices.ContainsFunc(allocated(c), func(s string) bool { return !strings.HasPrefix(s, node+"/") }):
		d.w.wrong("pod %s is bound to %s, and has devices %s", write.Key(), node, allocated(c))
	case !reservedFor(c, write.After.Meta().GetUID()):
		d.w.wrong("pod %s is bound, and its claim is not reserved for it", write.Key())
	}
}

// kept checks that a claim stays reserved for pods that are bound, whatever is written for others that share it.
func (d *devices) kept(write apimodel.Write) {
	if write.Before == nil || !isScheduler(write.Client) {
		return
	}
	had, _ := asMap(write.Before.Object["status"])["reservedFor"].([]any)
	for _, x := range had {
		by := asMap(x)
		p := d.w.api.Get(d.w.jobs.pods, userNamespace, text(by, "name"))
		if d.lives(by) && text(p.Object, "spec", "nodeName") != "" && !reservedFor(write.After, p.Meta().GetUID()) {
			d.w.wrong("%s takes claim %s from pod %s, which has it still", write.Client, write.Key(), text(by, "name"))
		}
	}
}

func reservedFor(c *apimodel.Stored, uid types.UID) bool {
	list, _ := asMap(c.Object["status"])["reservedFor"].([]any)
	return slices.ContainsFunc(list, func(x any) bool { return text(asMap(x), "uid") == string(uid) })
}
