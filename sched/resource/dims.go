package resource

import (
	"slices"
	"sort"
	"strings"
)

// Dim is the index of an interned dimension: a column in every dense vector.
type Dim int32

// The dimensions every engine has, in fixed columns. Pods counts places for pods
// on a node; it takes part in placement only, never in shares or quotas
// (decision 24).
const (
	CPU Dim = iota
	Memory
	Pods
	firstOther
)

// The names of the fixed dimensions, as Kubernetes spells them.
const (
	CPUName    = "cpu"
	MemoryName = "memory"
	PodsName   = "pods"
)

// divisible are the resources that can be divided as finely as their unit: milli cpu and
// bytes.
var divisible = [...]string{CPUName, MemoryName, "ephemeral-storage", "storage"}

// Device is one whole device of an extended resource, in the engine's milli.
const Device = 1000

// Divisible says that a resource can be divided among pods as finely as its unit: cpu,
// memory, storage. Extended resources come in whole devices.
func Divisible(name string) bool {
	return slices.Contains(divisible[:], name) || strings.HasPrefix(name, "hugepages-")
}

// Dims interns the names of dimensions in the order of first sight. It only grows.
// Columns therefore depend on history, and nothing that is decided or shown may
// depend on the number of a column: order by name.
type Dims struct {
	names []string
	index map[string]Dim
}

// NewDims returns the fixed dimensions.
func NewDims() *Dims {
	d := &Dims{index: map[string]Dim{}}
	for _, n := range []string{CPUName, MemoryName, PodsName} {
		d.Intern(n)
	}
	return d
}

// Intern returns the column of a name, making one at first sight.
func (d *Dims) Intern(name string) Dim {
	if i, ok := d.index[name]; ok {
		return i
	}
	i := Dim(len(d.names))
	d.names = append(d.names, name)
	d.index[name] = i
	return i
}

// Lookup returns the column of a name, and false for a name that was never interned.
func (d *Dims) Lookup(name string) (Dim, bool) {
	i, ok := d.index[name]
	return i, ok
}

// Name is the name of a column.
func (d *Dims) Name(i Dim) string { return d.names[i] }

// Len is the number of columns.
func (d *Dims) Len() int { return len(d.names) }

// SortByName orders columns by their names, cpu and memory first, in place.
func (d *Dims) SortByName(dims []Dim) {
	sort.Slice(dims, func(i, j int) bool { return d.before(dims[i], dims[j]) })
}

// Sorted lists the columns that match, in the order of SortByName.
func (d *Dims) Sorted(match func(Dim) bool) (out []Dim) {
	for i := range Dim(d.Len()) {
		if match(i) {
			out = append(out, i)
		}
	}
	d.SortByName(out)
	return out
}

func (d *Dims) before(a, b Dim) bool {
	if a < firstOther || b < firstOther {
		return a < b
	}
	return d.names[a] < d.names[b]
}

// Amount is a quantity of one named resource: the form in which facts carry
// resources, since a fact knows no engine and hence no columns.
type Amount struct {
	Name  string
	Value int64
}

// List is a set of amounts, sorted by name, no name twice. A name with value zero
// is not the same as a missing name where a limit is meant; elsewhere it is.
type List []Amount

// Normalize sorts a list by name and adds up amounts of one name.
func Normalize(l List) List {
	sort.SliceStable(l, func(i, j int) bool { return l[i].Name < l[j].Name })
	out := l[:0]
	for _, a := range l {
		if n := len(out); n > 0 && out[n-1].Name == a.Name {
			out[n-1].Value += a.Value
			continue
		}
		out = append(out, a)
	}
	return out
}

// Get returns the amount of a name, zero and false when the list lacks it.
func (l List) Get(name string) (int64, bool) {
	for _, a := range l {
		if a.Name == name {
			return a.Value, true
		}
	}
	return 0, false
}

// Vec interns a list's names and returns the dense vector.
func (d *Dims) Vec(l List) Vec {
	if len(l) == 0 {
		return nil
	}
	return d.VecOver(nil, l)
}

// VecOver is Vec, and overwrites the memory of v: no other reader may keep v.
func (d *Dims) VecOver(v Vec, l List) Vec {
	v = v[:0]
	for _, a := range l {
		v = v.Set(d.Intern(a.Name), a.Value)
	}
	return v
}

// A column costs memory for each node and queue, and time for each of many steps. Nodes and queues bring few names, and
// administrators write them. Of pods and PodGroups there may be any number: beyond mostNames they have one column
// together, of which no node offers anything.
const (
	mostNames  = 512
	otherNames = "ashlar.sh/other-resources"
	mostOthers = int64(1) << 48
)

// VecOfTenant is Vec for what a tenant may write.
func (d *Dims) VecOfTenant(l List) (v Vec) {
	for _, a := range l {
		if _, known := d.index[a.Name]; known || len(d.names) < mostNames {
			v = v.Set(d.Intern(a.Name), a.Value)
			continue
		}
		at := d.Intern(otherNames)
		v = v.Set(at, min(mostOthers, v.Get(at)+min(mostOthers, a.Value)))
	}
	return v
}

// Limits interns a list's names and returns bounds for exactly these names.
func (d *Dims) Limits(l List) Limits { return d.LimitsOver(Limits{}, l) }

// LimitsOver is Limits, and overwrites the memory of b: no other reader may keep b.
func (d *Dims) LimitsOver(b Limits, l List) Limits {
	b.bound, b.has = b.bound[:0], b.has[:0]
	for _, a := range l {
		at := d.Intern(a.Name)
		b.bound = b.bound.Set(at, a.Value)
		for len(b.has) < len(b.bound) {
			b.has = append(b.has, false)
		}
		b.has[at] = true
	}
	return b
}

// List is the inverse of Vec: names and non-zero values, sorted by name.
func (d *Dims) List(v Vec) List {
	var l List
	for i, x := range v {
		if x != 0 {
			l = append(l, Amount{d.names[i], x})
		}
	}
	sort.Slice(l, func(i, j int) bool { return l[i].Name < l[j].Name })
	return l
}
