package devices

import (
	"maps"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
)

// usage is which devices are taken, in the form in which the allocator reads it. Each
// allocation, by fact or by choice, is counted by itself, so that adding and removing
// are exact inverses in any order.
type usage struct {
	state structured.AllocatedState
	whole map[structured.DeviceID]int
	parts map[structured.DeviceID]map[structured.SharedDeviceID]sharedPart
	pools map[pool]*poolUse // none is dropped

	changed    []change // since somebody looked
	everywhere bool     // anything may have
}

// change says that something was taken of a pool, or given back.
type change struct {
	pool
	given bool
}

// sharedPart is a share of a device that several claims may have, and how often it is counted.
type sharedPart struct {
	times    int
	capacity structured.ConsumedCapacity
}

func newUsage() usage {
	return usage{
		state: structured.AllocatedState{
			AllocatedDevices:         sets.New[structured.DeviceID](),
			AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
			AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
		},
		whole: map[structured.DeviceID]int{},
		parts: map[structured.DeviceID]map[structured.SharedDeviceID]sharedPart{},
		pools: map[pool]*poolUse{},
	}
}

// count adds the devices of an allocation (by 1) or takes them out (by -1), and notes the pools.
func (u *usage) count(a *resourcev1.AllocationResult, by int) {
	u.add(a, by)
	if a == nil {
		return
	}
	for i := range a.Devices.Results {
		r := &a.Devices.Results[i]
		at := change{pool{r.Driver, r.Pool}, by < 0}
		if n := len(u.changed); n == 0 || u.changed[n-1] != at {
			u.changed = append(u.changed, at)
		}
		if len(u.changed) > mostTouched {
			u.everywhere, u.changed = true, u.changed[:0]
		}
	}
}

// add is count without a note. Devices that are had for administration are had beside others.
func (u *usage) add(a *resourcev1.AllocationResult, by int) {
	if a == nil {
		return
	}
	for i := range a.Devices.Results {
		r := &a.Devices.Results[i]
		if r.AdminAccess != nil && *r.AdminAccess {
			continue
		}
		id := structured.MakeDeviceID(r.Driver, r.Pool, r.Device)
		use := u.pool(pool{r.Driver, r.Pool})
		*use = use.count(sum(id, r), by)
		if r.ShareID != nil {
			u.share(id, r, by)
			continue
		}
		if u.whole[id] += by; u.whole[id] == 0 {
			delete(u.whole, id)
			u.state.AllocatedDevices.Delete(id)
		} else {
			u.state.AllocatedDevices.Insert(id)
		}
	}
}

// lend is count for devices that are only thought to be free, or taken, and soon what they were: it is no news
// that something was given back.
func (u *usage) lend(a *resourcev1.AllocationResult, by int) {
	u.add(a, by)
	if a == nil || by > 0 {
		return
	}
	for i := range a.Devices.Results {
		if r := &a.Devices.Results[i]; r.AdminAccess == nil || !*r.AdminAccess {
			u.pool(pool{r.Driver, r.Pool}).freed--
		}
	}
}

// pool is what is taken of a pool.
func (u *usage) pool(of pool) *poolUse {
	if u.pools[of] == nil {
		u.pools[of] = &poolUse{}
	}
	return u.pools[of]
}

func (u *usage) share(id structured.DeviceID, r *resourcev1.DeviceRequestAllocationResult, by int) {
	at := u.parts[id]
	if at == nil {
		at = map[structured.SharedDeviceID]sharedPart{}
		u.parts[id] = at
	}
	share := structured.MakeSharedDeviceID(id, r.ShareID)
	p := at[share]
	p.times += by
	p.capacity = structured.NewDeviceConsumedCapacity(id, r.ConsumedCapacity).ConsumedCapacity
	at[share] = p
	u.state.AllocatedSharedDeviceIDs.Insert(share)
	if p.times == 0 {
		delete(at, share)
		u.state.AllocatedSharedDeviceIDs.Delete(share)
	}
	// Summed anew each time: what is added and subtracted leaves no trace.
	delete(u.state.AggregatedCapacity, id)
	for _, p := range at { // order-free: a sum
		if len(p.capacity) > 0 {
			u.state.AggregatedCapacity.Insert(structured.DeviceConsumedCapacity{DeviceID: id, ConsumedCapacity: p.capacity})
		}
	}
	if len(at) == 0 {
		delete(u.parts, id)
	}
}

// dump lists what is taken, as text.
func (u *usage) dump(out map[string]string) {
	for id, n := range u.whole { // order-free: into a map
		out["device "+id.String()] = count(n)
	}
	for id, at := range u.parts { // order-free: into a map
		for share, p := range at { // order-free: into a map
			out["share "+share.String()] = count(p.times)
		}
		names := slices.Sorted(maps.Keys(u.state.AggregatedCapacity[id]))
		for _, name := range names {
			out["capacity "+id.String()+" "+string(name)] = u.state.AggregatedCapacity[id][name].String()
		}
	}
}
