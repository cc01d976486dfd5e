package readapi

import (
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
	"ashlar.sh/sched/policy"
)

// deviceAt is one device of a pool.
type deviceAt struct {
	pool  *sched.DevicePool
	index int
}

func (d *deviceAt) device() *policy.Device { return &d.pool.Devices[d.index] }

// devices are the devices of resource claims, one by one, with what drivers say of them in ResourceSlices.
var devices = &kind[deviceAt]{name: "Device", part: ofDevices,
	rows: func(c *copied) (out []deviceAt) {
		for _, p := range c.Devices {
			for i := range p.Devices {
				out = append(out, deviceAt{p, i})
			}
		}
		return out
	},
	at: func(d *deviceAt) place {
		return place{Namespace: d.pool.Driver + "\x00" + d.pool.Name, Name: d.pool.Node, Owner: fmt.Sprintf("%06d", d.index)}
	},
	seen: func(v *view, _ place) bool { return v.slices() },
	hide: func(h *Hidden, d *deviceAt) {
		one := sched.DevicePool{Devices: []policy.Device{*d.device()}}
		h.devices(&explain.DeviceGroups([]*sched.DevicePool{&one}, false)[0].DeviceCounts)
	},
	render: func(_ *copied, v *view, rows []deviceAt) []any {
		out := make([]any, 0, len(rows))
		for i := range rows {
			row := explain.DeviceRowOf(rows[i].pool, rows[i].index)
			v.deviceHolders(row.Holders)
			out = append(out, &row)
		}
		return out
	},
	filters: deviceFilters()}

// deviceFilters are those of the page of a simulation, too.
func deviceFilters() map[string]func(*deviceAt, string) bool {
	out := map[string]func(*deviceAt, string) bool{}
	for name, passes := range explain.DeviceFilters { // order-free: into a map
		out[name] = func(d *deviceAt, value string) bool { return passes(d.pool, d.index, value) }
	}
	return out
}

// listedDevices are how many devices there are, by driver and classes.
var listedDevices = &kind[explain.DeviceGroup]{name: "DeviceGroup", part: ofDevices,
	rows: func(c *copied) []explain.DeviceGroup { return c.sums },
	at: func(g *explain.DeviceGroup) place {
		return place{Namespace: g.Driver, Name: strings.Join(g.Classes, "\x00")}
	},
	seen: nodes.seen,
	hide: func(h *Hidden, g *explain.DeviceGroup) { h.devices(&g.DeviceCounts) },
	show: func(rows []explain.DeviceGroup) []any { return each(rows) },
}

// deviceHolders hides the names in namespaces that the user may not see.
func (v *view) deviceHolders(list []explain.DeviceHolder) {
	for i := range list {
		if h := &list[i]; !v.namespace(h.Namespace) {
			h.Namespace, h.Claim, h.Share = another, another, ""
			h.Pods = slices.Repeat([]string{another}, len(h.Pods))
		}
	}
}

// deviceGroups hides what the user may not see of devices: without ResourceSlices they are counted, and not named.
func (v *view) deviceGroups(groups []explain.DeviceGroup) {
	for i := range groups {
		if !v.slices() {
			groups[i].Devices = nil
			continue
		}
		for k := range groups[i].Devices {
			v.deviceHolders(groups[i].Devices[k].Holders)
		}
	}
}
