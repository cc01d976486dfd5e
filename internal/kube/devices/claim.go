package devices

import (
	"maps"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/dynamic-resource-allocation/structured"

	"ashlar.sh/sched/model"
)

// claim is a resource claim as the facts have it, and what was chosen for those that sit
// with it.
type claim struct {
	fact   *resourcev1.ResourceClaim // nil: there is none
	chosen map[pick]int              // how many tasks sit with a choice; those that share a claim make the same
	users  map[string]int            // the uids of the pods that sit with it
	names  map[string]string         // of these pods, by uid
	has    []structured.DeviceID     // by its fact; nil: they were not asked for yet
}

// pick is devices chosen for one life of a claim.
type pick struct{ uid, allocation string }

// devices are those that it has by its fact.
func (c *claim) devices() []structured.DeviceID {
	if a := c.fact.Status.Allocation; a != nil && c.has == nil {
		for i := range a.Devices.Results {
			r := &a.Devices.Results[i]
			c.has = append(c.has, structured.MakeDeviceID(r.Driver, r.Pool, r.Device))
		}
	}
	return c.has
}

func (c *claim) empty() bool { return c.fact == nil && len(c.chosen) == 0 && len(c.users) == 0 }

// at is the claim of a name, made if it is not known.
func (d *Devices) at(key string) *claim {
	c := d.claims[key]
	if c == nil {
		c = &claim{chosen: map[pick]int{}, users: map[string]int{}, names: map[string]string{}}
		d.claims[key] = c
	}
	return c
}

// update takes in what a claim is now; nil: it is gone.
func (d *Devices) update(key string, fact *resourcev1.ResourceClaim) {
	d.reporter.claim(key)
	c := d.at(key)
	var had, has *resourcev1.AllocationResult
	if c.fact != nil {
		had = c.fact.Status.Allocation
	}
	d.special.note(key, SpecialOf(c.fact), SpecialOf(fact))
	if c.fact, c.has = fact, nil; fact != nil {
		has = fact.Status.Allocation
	}
	if !equality.Semantic.DeepEqual(had, has) { // a claim that is written again gives nothing back
		d.used.count(had, -1)
		d.used.count(has, 1)
	}
	if c.empty() {
		delete(d.claims, key)
	}
}

// account counts (by 1) or discounts (by -1) what was chosen for a pod.
func (d *Devices) account(w Writes, pod *model.Pod, by int) {
	uid := pod.UID
	for _, write := range w.Claims {
		d.reporter.claim(write.Claim)
		c := d.at(write.Claim)
		c.names[uid] = pod.Name
		if c.users[uid] += by; c.users[uid] == 0 {
			delete(c.users, uid)
			delete(c.names, uid)
		}
		if len(write.Allocation) > 0 {
			p := pick{write.UID, string(write.Allocation)}
			before := c.chosen[p]
			c.chosen[p] = before + by
			switch {
			case before+by == 0:
				delete(c.chosen, p)
				d.used.count(d.questions.read(write), -1)
			case before == 0:
				d.used.count(d.questions.read(write), 1)
			}
		}
		if c.empty() {
			delete(d.claims, write.Claim)
		}
	}
}

// mostParsed bounds the choices that are kept read, and mostParsedBytes the bytes that they have, as they are written:
// a claim comes with parameters for drivers that are as long as tenants write them.
const (
	mostParsed      = 1 << 13
	mostParsedBytes = 32 << 20
)

// read is the devices of a choice; nil of one that is of another version's making.
func (qu *questions) read(w Write) *resourcev1.AllocationResult {
	if known, ok := qu.parsed[string(w.Allocation)]; ok {
		return known
	}
	out, err := w.Allocated()
	if err != nil {
		out = nil
	}
	if len(qu.parsed) >= mostParsed || qu.parsedBytes+len(w.Allocation) > mostParsedBytes {
		clear(qu.parsed)
		qu.parsedBytes = 0
	}
	qu.parsed[string(w.Allocation)] = out
	qu.parsedBytes += len(w.Allocation)
	return out
}

// taken is the first by text of what was chosen for the life of a claim that is there now;
// "" when nothing was. Several only a history that asked no filter can bring about.
func (c *claim) taken() string {
	if len(c.chosen) == 0 {
		return ""
	}
	var out []string
	for p := range maps.Keys(c.chosen) { // order-free: the first by text is taken
		if p.uid == string(c.fact.UID) {
			out = append(out, p.allocation)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return slices.Min(out)
}

// others says how many besides a pod hold a claim, by fact or since they sit with it.
func (c *claim) others(uid string) int {
	n := 0
	for i := range c.fact.Status.ReservedFor {
		r := string(c.fact.Status.ReservedFor[i].UID)
		if r != uid && c.users[r] == 0 {
			n++
		}
	}
	for u := range c.users { // order-free: counted
		if u != uid {
			n++
		}
	}
	return n
}
