package devices

import (
	"maps"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"

	"ashlar.sh/sched/policy"
)

// reporter notes what has changed, for reports: see policy.DeviceReporter. Before it is asked it notes nothing. What
// is made of it is made by its describer, beside the engine.
type reporter struct {
	d *Devices

	describer *describer // nil: it was never asked
	claims    map[string]bool
	slices    map[string]bool
	classes   bool
}

func (r *reporter) claim(key string) {
	if r.describer != nil {
		r.claims[key] = true
	}
}

func (r *reporter) slice(name string) {
	if r.describer != nil {
		r.slices[name] = true
	}
}

// Devices implements policy.DeviceReporter.
func (r *reporter) Devices() func() []*policy.DevicePool {
	d := r.d
	if r.describer == nil {
		r.describer, r.classes = newDescriber(d.programs), true
		r.claims, r.slices = map[string]bool{}, map[string]bool{}
		for key := range d.claims { // order-free: into a map
			r.claims[key] = true
		}
		for name := range d.inventory.slices { // order-free: into a map
			r.slices[name] = true
		}
	}
	n := news{slices: map[string]*resourcev1.ResourceSlice{}, claims: map[string]*holding{}}
	for name := range r.slices { // order-free: into a map
		n.slices[name] = nil
		if b := d.inventory.slices[name]; b != nil {
			n.slices[name] = b.slice
		}
	}
	for key := range r.claims { // order-free: into a map
		n.claims[key] = r.holding(key)
	}
	if r.classes {
		n.classes = d.classes.selections()
	}
	clear(r.slices)
	clear(r.claims)
	r.classes = false
	r.describer.hear(n)
	return r.describer.pools
}

// selections are what the classes select, by name.
func (c *classes) selections() []classSelection {
	out := make([]classSelection, 0, len(c.of))
	for _, name := range slices.Sorted(maps.Keys(c.of)) {
		out = append(out, classSelection{name, selectionOf(c.of[name], nil)})
	}
	return out
}

// holding is what a claim has, by fact or by choice; nil: nothing.
func (r *reporter) holding(key string) *holding {
	c := r.d.claims[key]
	if c == nil {
		return nil
	}
	h := &holding{}
	h.namespace, h.claim, _ = strings.Cut(key, "/")
	pods := map[string]bool{}
	if c.fact != nil {
		for i := range c.fact.Status.ReservedFor {
			if by := &c.fact.Status.ReservedFor[i]; by.APIGroup == "" && by.Resource == "pods" {
				pods[by.Name] = true
			}
		}
		h.add(c.fact.Status.Allocation)
	}
	for _, name := range c.names { // order-free: into a map
		pods[name] = true
	}
	for _, p := range slices.SortedFunc(maps.Keys(c.chosen), func(a, b pick) int {
		return strings.Compare(a.allocation, b.allocation)
	}) {
		if c.fact == nil || p.uid == string(c.fact.UID) {
			h.add(r.d.questions.read(Write{Claim: key, Allocation: []byte(p.allocation)}))
		}
	}
	if len(h.results) == 0 {
		return nil
	}
	h.pods = slices.Sorted(maps.Keys(pods))
	return h
}

// holding is the devices of a claim. It does not change.
type holding struct {
	namespace, claim string
	pods             []string
	results          []*resourcev1.DeviceRequestAllocationResult
}

// add adds the devices of an allocation that are not known yet: what was chosen is what is written later.
func (h *holding) add(a *resourcev1.AllocationResult) {
	if a == nil {
		return
	}
	for i := range a.Devices.Results {
		r := &a.Devices.Results[i]
		if !slices.ContainsFunc(h.results, func(o *resourcev1.DeviceRequestAllocationResult) bool {
			return o.Driver == r.Driver && o.Pool == r.Pool && o.Device == r.Device && shareOf(o) == shareOf(r)
		}) {
			h.results = append(h.results, r)
		}
	}
}

func shareOf(r *resourcev1.DeviceRequestAllocationResult) string {
	if r.ShareID == nil {
		return ""
	}
	return string(*r.ShareID)
}
