package devices_test

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched"
)

// refusedWorld is a cluster with claims of several namespaces, no two alike, which no node meets, and with all
// of that found out.
type refusedWorld struct {
	*world
	book   *devices.Devices
	now    int64
	life   int
	claims []*resourcev1.ResourceClaim
	pods   []*corev1.Pod
}

const refusedNodes, refusedClaims, refusedSpaces = 100, 60, 6

func newRefusedWorld(t *testing.T) *refusedWorld {
	t.Helper()
	w := &refusedWorld{world: newWorld(t, class("gpu")), now: 1_000_000_000}
	for i := range refusedNodes {
		n := fmt.Sprintf("n%04d", i)
		w.tell(node(n), slice(n, 8))
	}
	w.e.Decide(1)
	found, _ := w.e.Ledger().PluginStates.Find(devices.Name)
	w.book = found.(*devices.Devices)
	for i := range refusedClaims {
		c := claim(fmt.Sprint("evil", i), 9, fmt.Sprintf("device.driver != 'x%d'", i))
		if i%6 == 0 {
			c = puzzle(c.Name, 7, fmt.Sprintf("device.driver != 'x%d'", i))
		}
		p := pod(c.Name, c.Name)
		c.Namespace = fmt.Sprint("evil-", i%refusedSpaces)
		p.Namespace = c.Namespace
		w.claims, w.pods = append(w.claims, c), append(w.pods, p)
		w.tell(c, p)
	}
	w.settle()
	return w
}

// settle lets cycles run until all is found out that the budgets have put off.
func (w *refusedWorld) settle() {
	w.t.Helper()
	for range 500 {
		w.rewrite()
		if w.cycle(); w.book.Asked() == 0 {
			return
		}
	}
	w.t.Fatalf("after 500 cycles claims are still looked at on %d nodes", w.book.Asked())
}

// cycle runs one and returns its plan.
func (w *refusedWorld) cycle() []sched.Item {
	w.now += 1_000_000_000
	plan, _, _ := w.e.Decide(w.now)
	return slices.Clone(plan.Items)
}

// rewrite writes all claims again as they are.
func (w *refusedWorld) rewrite() {
	w.life++
	for _, c := range w.claims {
		again := c.DeepCopy()
		again.ResourceVersion = fmt.Sprint(w.life + 1)
		w.tell(again)
	}
}

// remake deletes all claims and pods and makes equal ones.
func (w *refusedWorld) remake() {
	w.life++
	for i, c := range w.claims {
		w.e.Apply(gone(w.t, w.pods[i]), gone(w.t, c))
		for _, o := range []metav1.Object{c, w.pods[i]} {
			o.SetUID(types.UID(fmt.Sprint(o.GetName(), " of life ", w.life)))
			o.SetResourceVersion(fmt.Sprint(w.life + 1))
			w.tell(o)
		}
	}
}

// generation is a slice of a node's in another generation, so that what was found out of it is void.
func (w *refusedWorld) generation(on string, n int) *resourcev1.ResourceSlice {
	w.life++
	s := slice(on, n)
	s.Spec.Pool.Generation, s.ResourceVersion = int64(w.life+1), fmt.Sprint(w.life+1)
	return s
}

// Claims that wait cost the nodes on which something changed that they rest on, whatever is done to them: none
// where they, or their pods, are written or made again, and one for each claim where one node's devices change.
func TestWaitingClaimsCostWhatChanged(t *testing.T) {
	w := newRefusedWorld(t)
	cases := []struct {
		name string
		do   func(i int)
		most int64
	}{
		{"the claims are written again", func(int) { w.rewrite() }, 0},
		{"the claims and pods are made again", func(int) { w.remake() }, 0},
		{"one slice changes", func(int) { w.tell(w.generation("n0007", 8)); w.rewrite() }, refusedClaims},
		{"a device is taken, and given back", func(i int) {
			w.life++
			c := claim("other", 1)
			c.ResourceVersion = fmt.Sprint(w.life + 1)
			if i%2 == 0 {
				c = allocated(c, "n0009", []string{"gpu-1"}, "x")
			}
			w.tell(c)
		}, refusedClaims},
		{"a node is labelled", func(i int) {
			w.life++
			n := node("n0003")
			n.Labels, n.ResourceVersion = map[string]string{"turn": fmt.Sprint(i)}, fmt.Sprint(w.life+1)
			w.tell(n)
		}, refusedClaims},
		{"a node comes", func(i int) { n := fmt.Sprint("new", i); w.tell(node(n), slice(n, 8)) }, refusedClaims},
	}
	for _, c := range cases {
		w.settle() // else the questions that a budget has put off would be counted with those that the next change asks
		for i := range 4 {
			c.do(i)
			w.cycle()
			if asked := w.book.Asked(); asked > c.most {
				t.Errorf("%s: claims were looked at on %d nodes, want %d at most", c.name, asked, c.most)
			}
			if spent := w.book.Spent(); spent > devices.MostOfCycle {
				t.Errorf("%s: %d steps were spent, and %d may be", c.name, spent, devices.MostOfCycle)
			}
		}
	}
	if found := w.e.Audit(); found != nil {
		t.Errorf("audit: %v", found)
	}
}

// A device of a pool that all nodes reach that is taken, or given back, has no claim looked at again that no node
// would meet if all of its devices were free; also where some of the pool's are always taken.
func TestWaitingClaimsCostNothingWhereAPoolIsShared(t *testing.T) {
	w := newRefusedWorld(t)
	everywhere, of := true, slice("fabric", 4)
	of.Spec.NodeName, of.Spec.AllNodes = nil, &everywhere
	for i := range of.Spec.Devices {
		of.Spec.Devices[i].Attributes = nil // the puzzles cannot be met with these
	}
	w.tell(of, allocated(claim("always", 1), "fabric", []string{"gpu-0"}, "y"), allocated(claim("also", 2), "fabric",
		[]string{"gpu-2", "gpu-3"}, "z"))
	for i, c := range w.claims {
		if i%6 != 0 {
			c.Spec.Devices.Requests[0].Exactly.Count = 13
		}
	}
	w.settle()
	for i := range 6 {
		w.life++
		c := claim("other", 1)
		c.ResourceVersion = fmt.Sprint(w.life + 1)
		if i%2 == 0 {
			c = allocated(c, "fabric", []string{"gpu-1"}, "x")
		}
		w.tell(c)
		w.rewrite()
		if w.cycle(); w.book.Asked() != 0 {
			t.Errorf("turn %d: claims were looked at on %d nodes, want none", i, w.book.Asked())
		}
	}
	for i, c := range w.claims {
		if i%6 != 0 {
			c.Spec.Devices.Requests[0].Exactly.Count = 9 // four of the pool's, one more than a node has
		}
	}
	w.rewrite()
	w.e.Apply(gone(t, claim("always", 1)))
	bound := 0
	for range 60 {
		bound += len(w.cycle())
	}
	if bound == 0 {
		t.Error("no claim was met that a device was given back to")
	}
	if found := w.e.Audit(); found != nil {
		t.Errorf("audit: %v", found)
	}
}

// Claims that nodes would meet if all of a shared pool were free are looked at once for each state of the pool that
// they have not been refused in: not where devices are taken that were free, nor where the pool stands as it did
// before.
func TestWaitingClaimsAreLookedAtOnceInEachState(t *testing.T) {
	w := newRefusedWorld(t)
	w.tell(everywhere("fabric", 4), holding("always", 1, true, "gpu-0"))
	for i, c := range w.claims {
		c.Spec.Devices.Requests = claim(c.Name, 12, fmt.Sprintf("device.driver != 'x%d'", i)).Spec.Devices.Requests
		c.Spec.Devices.Constraints = nil
	}
	take := func(gpus ...string) int64 {
		w.life++
		w.tell(holding("other", w.life+1, len(gpus) > 0, gpus...))
		w.rewrite()
		w.cycle()
		return w.book.Asked()
	}
	take()
	w.settle()
	for _, gpus := range [][]string{{"gpu-1"}, {"gpu-1"}} {
		if asked := take(gpus...); asked != 0 {
			t.Errorf("with %v taken, too, claims were looked at on %d nodes, want none: there is less than before", gpus, asked)
		}
	}
	if asked := take(); asked != 0 {
		t.Errorf("with that given back claims were looked at on %d nodes, want none: all is as it was", asked)
	}
	if asked := take("gpu-2"); asked == 0 {
		t.Error("in a state that is new after something was given back no claim was looked at")
	}
	w.settle()
	w.e.Apply(gone(t, holding("always", 1, true, "gpu-0")))
	w.life++
	w.tell(holding("other", w.life+1, false))
	bound := 0
	for range 60 {
		for _, it := range w.cycle() {
			bound++
			w.e.Receive(sched.Receipt{Item: it, Outcome: sched.Done})
		}
	}
	if bound != 1 {
		t.Errorf("%d pods were bound, want one: all twelve devices of a node and the pool are free, and each asks for them",
			bound)
	}
	if found := w.e.Audit(); found != nil {
		t.Errorf("audit: %v", found)
	}
}

// A pod with a claim that can be used on one node alone, and another that this node refuses, is looked at on that
// node; so are others with the same claim.
func TestAClaimElsewhereIsLookedAtWhereItIs(t *testing.T) {
	w := newRefusedWorld(t)
	w.tell(everywhere("fabric", 4))
	for i, p := range w.pods {
		has := allocated(claim("has", 1), "n0005", []string{"gpu-1"}, "somebody")
		has.Namespace = p.Namespace
		p.Spec.ResourceClaims = pod(p.Name, "has", w.claims[i].Name).Spec.ResourceClaims
		w.e.Apply(gone(t, p))
		p.UID, p.ResourceVersion = p.UID+"-again", "9"
		w.tell(has, p)
	}
	w.cycle()
	if asked := w.book.Asked(); asked > refusedClaims {
		t.Errorf("claims were looked at on %d nodes, want the one node for each of %d", asked, refusedClaims)
	}
	p := w.pods[0].DeepCopy()
	p.Spec.ResourceClaims, p.ResourceVersion = pod(p.Name, "has").Spec.ResourceClaims, "10"
	w.tell(p)
	if got := w.cycle(); len(got) != 1 || got[0].Node != "n0005" {
		t.Errorf("the plan is %+v, want the pod that has all its devices bound on n0005", got)
	}
}

// A claim that is written again as it was, or with another status of its devices, gives nothing back.
func TestAClaimThatIsWrittenAgainGivesNothingBack(t *testing.T) {
	w := newRefusedWorld(t)
	w.tell(everywhere("fabric", 4), holding("always", 1, true, "gpu-0"))
	for i, c := range w.claims {
		c.Spec.Devices.Requests = claim(c.Name, 12, fmt.Sprintf("device.driver != 'x%d'", i)).Spec.Devices.Requests
		c.Spec.Devices.Constraints = nil
	}
	w.rewrite()
	w.settle()
	w.tell(holding("always", 2, true, "gpu-0"))
	w.rewrite()
	if w.cycle(); w.book.Asked() != 0 {
		t.Errorf("claims were looked at on %d nodes, want none", w.book.Asked())
	}
}

// What lifts a refusal lifts it: a node with more devices takes the claims that asked for them.
func TestARefusalEndsWithItsReason(t *testing.T) {
	w := newRefusedWorld(t)
	w.tell(w.generation("n0007", 9))
	n := 0
	for range 3 {
		for _, it := range w.cycle() {
			if n++; it.Kind != sched.BindPod || it.Node != "n0007" {
				t.Errorf("the plan has %v of %s on %q, want one pod bound on n0007", it.Kind, it.Pod, it.Node)
			}
		}
	}
	if n != 1 {
		t.Errorf("%d pods were bound, want one: there are nine devices, and each asks for nine", n)
	}
}

// Two pools have a device of the same name. That one of them is taken says nothing of the other: an answer that was
// found while the node's own was taken does not hold while that of the shared pool is.
func TestDevicesOfTheSameNameInTwoPools(t *testing.T) {
	own, fast := slice("n1", 1), true
	own.Spec.Devices[0].Attributes["fast"] = resourcev1.DeviceAttribute{BoolValue: &fast}
	w := newWorld(t, class("gpu"), node("n1"), own, everywhere("fabric", 1),
		allocated(claim("other", 1), "n1", []string{"gpu-0"}, "somebody"),
		claim("own", 1, `"fast" in device.attributes["`+driver+`"]`), pod("p", "own"))
	if got := binds(t, w.decide()); got != "" {
		t.Fatalf("bound was %q while the one device that it may have was taken", got)
	}
	moved := allocated(claim("other", 1), "fabric", []string{"gpu-0"}, "somebody")
	moved.ResourceVersion = "2"
	w.tell(moved)
	if got := binds(t, w.decide()); got != "p on n1: n1/gpu-0" {
		t.Errorf("bound was %q, and it waits because %+v", got, w.why("p"))
	}
}

// A node reaches the devices of its rack and no others, also when it moves to another, or the driver says otherwise.
func TestANodeReachesTheDevicesOfItsRack(t *testing.T) {
	ofRack := func(rack string, version int) *resourcev1.ResourceSlice {
		s := slice("fabric", 1)
		s.Spec.NodeName, s.Spec.NodeSelector, s.ResourceVersion = nil, ofNodesIn(rack), fmt.Sprint(version)
		return s
	}
	in := func(rack string, version int) *corev1.Node {
		n := inRack("n1", rack)
		n.ResourceVersion = fmt.Sprint(version)
		return n
	}
	holds := allocated(claim("other", 1), "fabric", []string{"gpu-0"}, "somebody")
	free := claim("other", 1)
	holds.ResourceVersion, free.ResourceVersion = "2", "3"
	for name, c := range map[string]struct {
		begin []metav1.Object
		then  []metav1.Object
	}{
		"the node moves":          {[]metav1.Object{in("b", 1), ofRack("a", 1)}, []metav1.Object{in("a", 2)}},
		"the devices do":          {[]metav1.Object{in("a", 1), ofRack("b", 1)}, []metav1.Object{ofRack("a", 2)}},
		"they come":               {[]metav1.Object{in("a", 1)}, []metav1.Object{ofRack("a", 1)}},
		"one is given back":       {[]metav1.Object{in("a", 1), ofRack("a", 1), holds}, []metav1.Object{free}},
		"it moves to one that is": {[]metav1.Object{in("b", 1), ofRack("a", 1), holds}, []metav1.Object{free, in("a", 2)}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, append([]metav1.Object{class("gpu"), claim("own", 1), pod("p", "own")}, c.begin...)...)
			if got := binds(t, w.decide()); got != "" {
				t.Fatalf("bound was %q", got)
			}
			w.tell(c.then...)
			if got := binds(t, w.decide()); got != "p on n1: fabric/gpu-0" {
				t.Errorf("bound was %q, and it waits because %+v", got, w.why("p"))
			}
		})
	}
}

// A device of a rack's pool that is taken, or given back, has claims looked at again on the rack's nodes alone, however
// many states the pools of all racks were in since.
func TestWaitingClaimsCostARackItsNodes(t *testing.T) {
	const racks, inRack = 20, 5
	w := newRefusedWorld(t)
	for i := range racks {
		of := slice(rackName(i), 4)
		of.Spec.NodeName, of.Spec.NodeSelector = nil, ofNodesIn(rackName(i))
		w.tell(of, holdingOf(rackName(i), "always"+rackName(i), 1, true, "gpu-0"))
		for n := range inRack {
			name := fmt.Sprintf("n%04d", i*inRack+n)
			on := node(name)
			on.Labels, on.ResourceVersion = map[string]string{"rack": rackName(i)}, "2"
			w.tell(on)
		}
	}
	for i, c := range w.claims { // a node would meet them if all of its rack's pool were free
		c.Spec.Devices.Requests = claim(c.Name, 12, fmt.Sprintf("device.driver != 'x%d'", i)).Spec.Devices.Requests
		c.Spec.Devices.Constraints = nil
	}
	w.settle()
	for turn := range 6 * racks {
		rack := rackName(turn / 2 % racks)
		w.life++
		w.tell(holdingOf(rack, "other"+rack, w.life+1, turn%2 == 0, "gpu-1"))
		w.rewrite()
		w.cycle()
		if asked, most := w.book.Asked(), int64(inRack*refusedClaims); asked > most {
			t.Fatalf("turn %d: claims were looked at on %d nodes, want %d at most: each on those of the rack", turn, asked, most)
		}
	}
	if found := w.e.Audit(); found != nil {
		t.Errorf("audit: %v", found)
	}
}
