package world

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/test/world/apimodel"
)

// checker checks what must always hold, from the API server's side alone.
type checker struct {
	w      *World
	pods   *apimodel.Kind
	groups *apimodel.Kind
	lease  *apimodel.Kind
	maps   *apimodel.Kind

	bound   map[types.UID]string // the node of a pod that holds room
	bindsOf map[types.UID]int
	gangs   map[string]*gang   // by the UID of the PodGroup
	said    map[types.UID]bool // it was sent why they are evicted
	stored  map[types.UID]bool // the API server has that
	tried   map[types.UID]bool // it may have been tried to say why they are evicted
	spared  map[string]bool    // the user's gangs from which the world itself took something, by name

	holder string         // of the lease
	terms  map[string]int // when a client last got the lease, in order
	term   int
	newest int // the last term whose holder has written something
	writes map[types.UID]int
	born   map[types.UID]time.Time // when a scheduler first wrote to it

	restoredAt time.Time            // when the store was put back last
	calmSince  time.Time            // zero: there is trouble
	why        map[types.UID]string // an eviction's reason, as it was written
	remadeAt   time.Time            // when the queue that is owed something was made again
	debt       debt
	usage      keptUsage
	repeats    repeats
	paces      paces
}

// Bounds.
const (
	// a gang that never was whole may be bound in part for so long, refusals and trouble included
	halfBound = 3 * time.Minute
	mostBinds = 1
	// so long after the store was put back, schedulers may decide on what they saw before: nothing tells them at once
	blind     = 15 * time.Second
	forgotten = 10 * time.Minute // so long after a pod is gone, no backup is put back that has it
	// So many writes of one pod or PodGroup there may be, one more in each time of this length, and some for each pod of
	// the PodGroup that is gone.
	goneWrites = 4
	fewWrites  = 30
	manyWrites = 10 * time.Second
)

func newChecker(w *World) *checker {
	return &checker{w: w, pods: w.api.Kind("", "pods"), groups: w.api.Kind("scheduling.volcano.sh", "podgroups"),
		lease: w.api.Kind("coordination.k8s.io", "leases"), maps: w.api.Kind("", "configmaps"),
		bound: map[types.UID]string{}, bindsOf: map[types.UID]int{},
		gangs: map[string]*gang{}, said: map[types.UID]bool{}, stored: map[types.UID]bool{}, tried: map[types.UID]bool{},
		spared: map[string]bool{}, terms: map[string]int{},
		writes: map[types.UID]int{}, born: map[types.UID]time.Time{}, why: map[types.UID]string{},
		repeats: newRepeats(), debt: debt{sent: map[types.UID]time.Time{}},
		paces: newPaces()}
}

func isScheduler(client string) bool { return strings.HasPrefix(client, "scheduler-") }

// asked sees every request, whatever becomes of it.
func (c *checker) asked(r *apimodel.Request) {
	if !isScheduler(r.Client) {
		return
	}
	binds := r.Method == http.MethodPost && strings.HasSuffix(r.Path, "/binding")
	deletes := r.Method == http.MethodDelete && strings.Contains(r.Path, "/pods/")
	if (binds || deletes) && !namesLife(r.Body) {
		c.w.wrong("%s sent %s %s and did not say which life of the pod it means", r.Client, r.Method, r.Path)
	}
	c.sends(r)
	c.paced(r)
	if pod, is := strings.CutPrefix(r.Path, c.pods.Path(userNamespace, "")+"/"); is && r.Method == http.MethodGet &&
		c.w.Trouble.Denied > 0 {
		// It may have read this to say why it evicts it, since it may not patch it for now, and have got no answer.
		if p := c.w.api.Get(c.pods, userNamespace, pod); p != nil {
			c.tried[p.Meta().GetUID()] = true
		}
	}
	// Where patches are forbidden the whole pod is written.
	if (r.Method == http.MethodPatch || r.Method == http.MethodPut) && strings.HasSuffix(r.Path, "/status") &&
		strings.Contains(string(r.Body), "DisruptionTarget") {
		c.reasons(r.Body)
	}
}

// unsent sees the requests that a bug kept from being sent. A scheduler that has decided on an eviction or a binding,
// and cannot know whether the API server has carried it out, has to go by what it decided.
func (c *checker) unsent() {
	for _, p := range c.w.procs {
		for _, r := range p.bug.take() {
			r.Client = p.name
			c.asked(r)
			if path := strings.Split(r.Path, "/"); len(path) == 8 && path[7] == "binding" {
				c.loses(c.w.api.Get(c.pods, path[4], path[6]))
			}
		}
	}
}

// loses notes that a pod's binding was not sent.
func (c *checker) loses(p *apimodel.Stored) {
	if p == nil {
		return
	}
	if g := c.gangOf(p); g != nil {
		g.lost = true
	}
}

// namesLife says that a request names a UID, in whichever form.
func namesLife(body []byte) bool { return strings.Contains(string(body), uidsBegin) }

// wrote checks a write.
func (c *checker) wrote(write apimodel.Write) {
	c.unsent()
	if write.Kind == c.lease {
		c.leased(write)
		return
	}
	if isScheduler(write.Client) {
		c.w.result.Writes++
		c.fenced(write)
	}
	c.repeats.wrote(write)
	c.stays(write)
	if write.Client == rivalName {
		c.newest = max(c.newest, c.terms[rivalName])
	}
	if write.After != nil && isScheduler(write.Client) && (write.Kind == c.pods || write.Kind == c.groups) {
		c.counted(write)
		c.keeps(write)
		c.planned(write)
	}
	switch write.Kind {
	case c.maps:
		c.remembers(write)
	case c.pods:
		c.pod(write)
	case c.groups:
		c.group(write)
	}
}

// leased follows who has the lease.
func (c *checker) leased(write apimodel.Write) {
	holder := ""
	if write.After != nil {
		holder = text(write.After.Object, "spec", "holderIdentity")
	}
	if holder == c.holder {
		return
	}
	if c.holder = holder; holder != "" {
		c.term++
		c.terms[holder] = c.term
		c.orphaned()
		c.w.did("the lease taken")
	}
}

// fenced checks that no scheduler writes after its successor has. A store that was put back may show a lease that is
// free: then another one takes it, and the one that has it learns of that when it renews it.
func (c *checker) fenced(write apimodel.Write) {
	term := c.terms[write.Client]
	switch {
	case term == 0:
		c.w.wrong("%s wrote %s %s and never had the lease", write.Client, write.Kind.Resource, write.Key())
	case term < c.newest && time.Since(c.restoredAt) > blind:
		c.w.wrong("%s wrote %s %s after a scheduler that had the lease later", write.Client, write.Kind.Resource, write.Key())
	}
	c.newest = max(c.newest, term)
}

// pod checks a write of a pod.
func (c *checker) pod(write apimodel.Write) {
	was, is := "", ""
	if write.Before != nil {
		was = text(write.Before.Object, "spec", "nodeName")
	}
	p := write.After
	if p == nil {
		c.gone(write)
		return
	}
	is = text(p.Object, "spec", "nodeName")
	uid := p.Meta().GetUID()
	if was != "" && is != was {
		c.w.wrong("pod %s was on %s and is on %s", write.Key(), was, is)
	}
	if phase := text(p.Object, "status", "phase"); phase == "Succeeded" || phase == "Failed" {
		delete(c.bound, uid)
		c.stands(p)
	}
	if was == "" && is != "" {
		c.bind(write, is)
	}
	if isScheduler(write.Client) && hasCondition(p, "DisruptionTarget") {
		c.stored[uid] = true
	}
	if write.Before != nil && write.Before.Meta().GetDeletionTimestamp() == nil && p.Meta().GetDeletionTimestamp() != nil {
		c.deleted(write, p)
		c.stands(p)
	}
}

func hasCondition(p *apimodel.Stored, kind string) bool {
	list, _ := asMap(p.Object["status"])["conditions"].([]any)
	return slices.ContainsFunc(list, func(x any) bool { return asMap(x)["type"] == kind })
}

// gone sees a pod that is removed.
func (c *checker) gone(write apimodel.Write) {
	p := write.Before
	uid := p.Meta().GetUID()
	delete(c.bound, uid)
	if g := c.gangOf(p); g != nil {
		g.gone++
		g.left = time.Now()
	}
	if p.Meta().GetDeletionTimestamp() == nil {
		c.deleted(write, p)
	}
	c.stands(p)
	c.w.seq.after(forgotten, func() {
		delete(c.said, uid)
		delete(c.stored, uid)
		delete(c.tried, uid)
		delete(c.why, uid)
		delete(c.bindsOf, uid)
		delete(c.writes, uid)
		delete(c.born, uid)
		delete(c.debt.sent, uid)
	})
}

// bind checks that a pod that is bound has room, and counts how often it is bound.
func (c *checker) bind(write apimodel.Write, node string) {
	uid := write.After.Meta().GetUID()
	if write.Before != nil { // else it was made with a node
		if c.bindsOf[uid]++; c.bindsOf[uid] > mostBinds {
			c.w.wrong("pod %s is bound for the %d. time", write.Key(), c.bindsOf[uid])
		}
	}
	c.w.did("a pod bound")
	c.bound[uid] = node
	cores, pods, names := int64(0), 0, ""
	for _, p := range c.w.api.List(c.pods) {
		if c.bound[p.Meta().GetUID()] == node && !c.w.others.unseen(p) {
			cores += coresOf(p)
			pods++
			names += " " + p.Meta().GetName()
		}
	}
	room := c.w.others.room(node)
	if write.Before != nil && write.Client != kubeScheduler && (cores > room || pods > nodePods) &&
		time.Since(c.restoredAt) > blind {
		c.w.wrong("node %s has %d cores for %d pods, and%s of %d cores since %s is bound", node, room, nodePods, names,
			cores, write.Key())
	}
	c.capability(write)
	c.w.jobs.tree.bounded(write)
	c.reachable(write, node)
	if one := c.w.jobs.of(write.After); one != nil && isScheduler(write.Client) {
		c.w.labels.allowed(write, one, node)
		c.w.racks.allowed(write, one)
		c.w.devices.bound(write, one, node)
		c.w.volumes.bound(write, one, node)
	}
	c.w.booked.heeded(write, node)
	c.debt.held.add(c.running(owedQueue, everyPod))
	if c.queueOf(write.After) == owedQueue && c.debt.taken.sum() > 0 {
		c.debt.regained.add(coresOf(write.After))
	}
	c.stands(write.After)
}

func coresOf(p *apimodel.Stored) int64 {
	spec, _ := p.Object["spec"].(map[string]any)
	containers, _ := spec["containers"].([]any)
	sum := int64(0)
	for _, x := range containers {
		one, _ := x.(map[string]any)
		sum += cores(text(one, "resources", "requests", "cpu"))
	}
	return sum
}

func cores(amount string) int64 {
	n, _ := strconv.ParseInt(amount, 10, 64) // the world writes whole cores
	return n
}

// spare notes that something was taken from a gang by others than the scheduler.
func (c *checker) spare(name string) { c.spared[name] = true }

func (c *checker) gangOf(p *apimodel.Stored) *gang {
	g := c.w.api.Get(c.groups, p.Meta().GetNamespace(), p.Meta().GetAnnotations()[groupAnnotation])
	if g == nil {
		return nil
	}
	return c.gangs[string(g.Meta().GetUID())]
}

// testify checks what must hold once there is no trouble.
func (c *checker) testify() {
	c.unsent()
	for _, g := range c.w.api.List(c.groups) {
		c.halfTooLong(c.gangs[string(g.Meta().GetUID())])
	}
}
