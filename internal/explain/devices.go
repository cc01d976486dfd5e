package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// DeviceCounts are how many devices stand in which state. Total is the sum of the others but Shares.
type DeviceCounts struct {
	Total     int `json:"total"`
	Free      int `json:"free"`
	Allocated int `json:"allocated"` // a claim has them, or shares have all of them
	Shared    int `json:"shared"`    // claims have shares of them, and there is room for more
	Unusable  int `json:"unusable"`  // no claim has them, and none gets them
	Shares    int `json:"shares,omitempty"`
}

// DeviceGroup is the devices of a driver's pool that the same classes select. A device is in one group. In the sum over
// a cluster there is no pool.
type DeviceGroup struct {
	Driver  string   `json:"driver"`
	Pool    string   `json:"pool,omitempty"`
	Classes []string `json:"classes"`
	DeviceCounts
	Devices []Device `json:"devices,omitempty"` // in the order in which the driver lists them; not in every document
}

// Device is how one device of resource claims stands, and what its driver says of it.
type Device struct {
	Name       string            `json:"name"`
	State      string            `json:"state"` // Free, Allocated, Shared, Unusable
	Why        string            `json:"why,omitempty"`
	Taints     []string          `json:"taints,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"`
	Capacity   map[string]string `json:"capacity,omitempty"`
	Used       map[string]string `json:"used,omitempty"` // of its capacity, by shares
	Holders    []DeviceHolder    `json:"holders,omitempty"`
}

// DeviceHolder is a claim that has a device, or a share of it.
type DeviceHolder struct {
	Namespace string            `json:"namespace"`
	Claim     string            `json:"claim"`
	Pods      []string          `json:"pods,omitempty"`
	Share     string            `json:"share,omitempty"`    // its id
	Consumes  map[string]string `json:"consumes,omitempty"` // of the device's capacity
	Admin     bool              `json:"adminAccess,omitempty"`
}

// DeviceRow is one device in a list. Node is empty where several nodes may reach it.
type DeviceRow struct {
	Driver  string   `json:"driver"`
	Pool    string   `json:"pool"`
	Node    string   `json:"node,omitempty"`
	Classes []string `json:"classes"`
	Device
}

// DeviceGroups are the groups of pools, in order of driver, pool and classes; with devices, where they are wanted.
func DeviceGroups(pools []*sched.DevicePool, devices bool) (out []DeviceGroup) {
	for _, p := range pools {
		first := len(out)
		for i := range p.Devices {
			d := &p.Devices[i]
			at := first + slices.IndexFunc(out[first:], func(g DeviceGroup) bool {
				return slices.Equal(g.Classes, d.Classes)
			})
			if at < first {
				at = len(out)
				out = append(out, DeviceGroup{Driver: p.Driver, Pool: p.Name, Classes: append([]string{}, d.Classes...)})
			}
			out[at].count(d)
			if devices {
				out[at].Devices = append(out[at].Devices, deviceOf(p, i))
			}
		}
		slices.SortStableFunc(out[first:], func(a, b DeviceGroup) int { return slices.Compare(a.Classes, b.Classes) })
	}
	return out
}

// DeviceSums are the groups of all pools together, by driver and classes.
func DeviceSums(pools []*sched.DevicePool) []DeviceGroup {
	out := []DeviceGroup{}
	at := map[string]int{}
	for _, p := range pools {
		for i := range p.Devices {
			d := &p.Devices[i]
			key := p.Driver + "\x00" + strings.Join(d.Classes, "\x00")
			n, known := at[key]
			if !known {
				n = len(out)
				at[key] = n
				out = append(out, DeviceGroup{Driver: p.Driver, Classes: append([]string{}, d.Classes...)})
			}
			out[n].count(d)
		}
	}
	slices.SortFunc(out, func(a, b DeviceGroup) int {
		return cmp.Or(cmp.Compare(a.Driver, b.Driver), slices.Compare(a.Classes, b.Classes))
	})
	return out
}

// DeviceFilters are what a list of devices may be narrowed by: each says whether a device of a pool has a value.
var DeviceFilters = map[string]func(p *sched.DevicePool, i int, value string) bool{
	"node":   func(p *sched.DevicePool, _ int, value string) bool { return p.Node == value },
	"driver": func(p *sched.DevicePool, _ int, value string) bool { return p.Driver == value },
	"class": func(p *sched.DevicePool, i int, value string) bool {
		return slices.Contains(p.Devices[i].Classes, value)
	},
	"state": func(p *sched.DevicePool, i int, value string) bool {
		return strings.EqualFold(string(p.Devices[i].State), value)
	},
}

// DeviceRowOf is one device of a pool.
func DeviceRowOf(p *sched.DevicePool, i int) DeviceRow {
	return DeviceRow{Driver: p.Driver, Pool: p.Name, Node: p.Node, Classes: append([]string{}, p.Devices[i].Classes...),
		Device: deviceOf(p, i)}
}

// Add adds other counts.
func (c *DeviceCounts) Add(o *DeviceCounts) {
	c.Total, c.Free, c.Allocated = c.Total+o.Total, c.Free+o.Free, c.Allocated+o.Allocated
	c.Shared, c.Unusable, c.Shares = c.Shared+o.Shared, c.Unusable+o.Unusable, c.Shares+o.Shares
}

func (c *DeviceCounts) count(d *policy.Device) {
	c.Total++
	switch d.State {
	case policy.DeviceFree:
		c.Free++
	case policy.DeviceAllocated:
		c.Allocated++
	case policy.DevicePartly:
		c.Shared++
	default:
		c.Unusable++
	}
	for i := range d.Holders {
		if d.Holders[i].Share != "" {
			c.Shares++
		}
	}
}

func deviceOf(p *sched.DevicePool, i int) Device {
	d := &p.Devices[i]
	out := Device{Name: d.Name, State: string(d.State), Why: deviceFault(d.Fault), Taints: d.Taints}
	if p.Details != nil {
		attributes, capacity, held := p.Details.Of(i)
		out.Attributes, out.Capacity, out.Used = asMap(attributes), asMap(capacity), asMap(held)
	}
	for _, h := range d.Holders {
		out.Holders = append(out.Holders, DeviceHolder{Namespace: h.Namespace, Claim: h.Claim, Pods: h.Pods,
			Share: h.Share, Consumes: asMap(h.Consumes), Admin: h.Admin})
	}
	return out
}

func asMap(list []model.Label) map[string]string {
	if len(list) == 0 {
		return nil
	}
	out := make(map[string]string, len(list))
	for _, l := range list {
		out[l.Key] = l.Value
	}
	return out
}

// deviceFault says why no further claim gets a device.
func deviceFault(f policy.DeviceFault) string {
	switch f.Code {
	case policy.DeviceTainted:
		return "it has taint " + f.Text + ": only claims that tolerate it get it"
	case policy.DeviceOfPart:
		return fmt.Sprintf("its pool is not complete: %s of %s slices are there", f.Have, f.Need)
	case policy.DeviceCounterUsed:
		return fmt.Sprintf("other partitions use what it needs (%s: %s needed, %s left)", f.Text, f.Need, f.Have)
	}
	return string(f.Code)
}

// Called is a group in a few words: its classes, or else its driver.
func (g *DeviceGroup) Called() string {
	if len(g.Classes) == 0 {
		return g.Driver
	}
	return strings.Join(g.Classes, ", ")
}

// counts is "6 of 8 allocated, 1 shared (2 shares), 1 cannot be used".
func (g *DeviceGroup) counts() string {
	text := fmt.Sprintf("%d of %d allocated", g.Allocated, g.Total)
	if g.Shared > 0 {
		text += fmt.Sprintf(", %d shared (%s)", g.Shared, Count(g.Shares, "share"))
	}
	if g.Unusable > 0 {
		text += fmt.Sprintf(", %d cannot be used", g.Unusable)
	}
	return text
}

// deviceStep lists the devices of a node.
func deviceStep(groups []DeviceGroup) Step {
	const most = 64
	out := Step{Name: "devices", Verdict: Told}
	var texts []string
	more := 0
	for i := range groups {
		g := &groups[i]
		texts = append(texts, g.Called()+": "+g.counts())
		for k := range g.Devices {
			if len(out.Details) < most {
				out.Details = append(out.Details, g.Devices[k].line())
			} else {
				more++
			}
		}
	}
	out.Text = strings.Join(texts, "; ")
	if more > 0 {
		out.Details = append(out.Details, fmt.Sprintf("%d more", more))
	}
	return out
}

// line is "gpu-3: allocated to team-a/w-0-gpu (pods w-0)".
func (d *Device) line() string {
	text := d.Name + ": " + map[string]string{string(policy.DeviceFree): "free",
		string(policy.DeviceAllocated): "allocated", string(policy.DevicePartly): "shared",
		string(policy.DeviceUnusable): "cannot be used"}[d.State]
	for i, h := range d.Holders {
		text += map[bool]string{true: " to ", false: ", "}[i == 0] + h.Namespace + "/" + h.Claim
		if len(h.Pods) > 0 {
			text += " (" + commas(h.Pods) + ")"
		}
		if len(h.Consumes) > 0 {
			text += " " + ofQuantities(h.Consumes)
		}
		if h.Admin {
			text += " for administration"
		}
	}
	if d.Why != "" {
		text += "; " + d.Why
	}
	return text
}

// devices shows how many devices there are of each driver and its classes.
func (p *page) devices(r *Report) {
	if len(r.Devices) == 0 {
		return
	}
	p.title("DEVICES")
	rows := [][]cell{{left("DRIVER"), left("CLASS"), right("TOTAL"), right("ALLOCATED"), right("SHARED"),
		right("UNUSABLE"), right("FREE")}}
	for i := range r.Devices {
		g := &r.Devices[i]
		rows = append(rows, []cell{left(g.Driver), left(cmp.Or(strings.Join(g.Classes, ","), "-")),
			right(strconv.Itoa(g.Total)), right(strconv.Itoa(g.Allocated)), right(strconv.Itoa(g.Shared)),
			right(strconv.Itoa(g.Unusable)), right(strconv.Itoa(g.Free))})
	}
	p.table(rows)
}

// deviceColumns are what devices are counted by in a list of nodes: classes, and drivers of which no class selects a
// device.
func deviceColumns(items []NodeAnswer) (out []string) {
	for i := range items {
		for k := range items[i].Devices {
			g := &items[i].Devices[k]
			for _, name := range g.names() {
				if !slices.Contains(out, name) {
					out = append(out, name)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

func (g *DeviceGroup) names() []string {
	if len(g.Classes) == 0 {
		return []string{g.Driver}
	}
	return g.Classes
}

// devicesOf is "2 of 8": how many devices of a class are free on a node.
func (n *NodeAnswer) devicesOf(column string) string {
	free, total := 0, 0
	for k := range n.Devices {
		if g := &n.Devices[k]; slices.Contains(g.names(), column) {
			free, total = free+g.Free, total+g.Total
		}
	}
	if total == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d", free, total)
}
