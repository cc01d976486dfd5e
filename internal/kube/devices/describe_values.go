package devices

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// details implements policy.DeviceDetails.
type details struct {
	devices []*resourcev1.Device
	held    []consumed
}

// Of implements policy.DeviceDetails.
func (d *details) Of(i int) (attributes, capacity, holds []model.Label) {
	of := d.devices[i]
	for _, name := range slices.Sorted(maps.Keys(of.Attributes)) {
		attributes = append(attributes, model.Label{Key: string(name), Value: valueOf(of.Attributes[name])})
	}
	for _, name := range slices.Sorted(maps.Keys(of.Capacity)) {
		q := of.Capacity[name].Value
		capacity = append(capacity, model.Label{Key: string(name), Value: q.String()})
	}
	return attributes, capacity, labelled(d.held[i])
}

func valueOf(a resourcev1.DeviceAttribute) string {
	switch {
	case a.StringValue != nil:
		return *a.StringValue
	case a.VersionValue != nil:
		return *a.VersionValue
	case a.IntValue != nil:
		return strconv.FormatInt(*a.IntValue, 10)
	case a.BoolValue != nil:
		return strconv.FormatBool(*a.BoolValue)
	case len(a.StringValues) > 0:
		return strings.Join(a.StringValues, ", ")
	case len(a.VersionValues) > 0:
		return strings.Join(a.VersionValues, ", ")
	case len(a.IntValues) > 0:
		return strings.Trim(fmt.Sprint(a.IntValues), "[]")
	}
	return strings.Trim(fmt.Sprint(a.BoolValues), "[]")
}

// consumed is how much of each capacity of a device shares have.
type consumed map[resourcev1.QualifiedName]resource.Quantity

func (c consumed) add(more map[resourcev1.QualifiedName]resource.Quantity) {
	for name, q := range more { // order-free: sums
		sum := c[name].DeepCopy()
		sum.Add(q)
		c[name] = sum
	}
}

// all says that nothing is left of some capacity of a device: each share has a part of all.
func (c consumed) all(d *resourcev1.Device) bool {
	for name, has := range d.Capacity { // order-free: whether any is so
		if used, some := c[name]; some && !used.IsZero() && used.Cmp(has.Value) >= 0 {
			return true
		}
	}
	return false
}

func labelled(of map[resourcev1.QualifiedName]resource.Quantity) (out []model.Label) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		q := of[name]
		out = append(out, model.Label{Key: string(name), Value: q.String()})
	}
	return out
}

// counters are what is left of the shared counters of a pool, by set and name.
type counters map[string]map[string]resource.Quantity

func (c counters) read(list []*toldSlice, holders map[string][]held) {
	for _, s := range list {
		for _, set := range s.Spec.SharedCounters {
			c[set.Name] = map[string]resource.Quantity{}
			for name, counter := range set.Counters { // order-free: into a map
				c[set.Name][name] = counter.Value
			}
		}
	}
	for _, s := range list {
		for i := range s.Spec.Devices {
			d := &s.Spec.Devices[i]
			if slices.ContainsFunc(holders[d.Name], func(h held) bool { return !yes(h.AdminAccess) }) {
				c.use(d)
			}
		}
	}
}

func (c counters) use(d *resourcev1.Device) {
	for _, of := range d.ConsumesCounters {
		for name, counter := range of.Counters { // order-free: each for itself
			if left, known := c[of.CounterSet][name]; known {
				left = left.DeepCopy()
				left.Sub(counter.Value)
				c[of.CounterSet][name] = left
			}
		}
	}
}

// lacks is the first counter of which there is too little left for a device.
func (c counters) lacks(d *resourcev1.Device) policy.DeviceFault {
	for _, of := range d.ConsumesCounters {
		for _, name := range slices.Sorted(maps.Keys(of.Counters)) {
			need, left := of.Counters[name].Value, c[of.CounterSet][name]
			if left.Cmp(need) < 0 {
				return policy.DeviceFault{Code: policy.DeviceCounterUsed, Text: of.CounterSet + "/" + name, Need: need.String(),
					Have: left.String()}
			}
		}
	}
	return policy.DeviceFault{}
}

// taintFault is the first taint for which claims that do not tolerate it do not get a device.
func taintFault(d *resourcev1.Device) policy.DeviceFault {
	for i := range d.Taints {
		if t := &d.Taints[i]; t.Effect == resourcev1.DeviceTaintEffectNoExecute ||
			t.Effect == resourcev1.DeviceTaintEffectNoSchedule {
			return policy.DeviceFault{Code: policy.DeviceTainted, Text: taintText(t)}
		}
	}
	return policy.DeviceFault{}
}

func taintText(t *resourcev1.DeviceTaint) string {
	text := t.Key
	if t.Value != "" {
		text += "=" + t.Value
	}
	return text + ":" + string(t.Effect)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func yes(b *bool) bool { return b != nil && *b }

func count10(n int64) string { return strconv.FormatInt(n, 10) }
