package explain

import (
	"fmt"
	"strconv"
	"strings"

	quantity "k8s.io/apimachinery/pkg/api/resource"

	"ashlar.sh/sched/resource"
)

// Quantity writes an amount, given in the engine's units (cpu in milli, memory and
// storage in bytes, pods in pods, everything else in milli), as a Kubernetes quantity:
// 28000 of cpu is "28", 1073741824 of memory "1Gi". A part of a unit is a decimal
// fraction: 17500 of cpu is "17.5", as it stands beside "17", and never "17500m"; no
// unit of tens but those of bytes is used: "2000", never "2k".
func Quantity(name string, amount int64) string {
	switch {
	case inBytes(name):
		return quantity.NewQuantity(amount, quantity.BinarySI).String()
	case name == resource.PodsName:
		return strconv.FormatInt(amount, 10)
	default:
		return milli(amount)
	}
}

// ReadQuantity reads what Quantity wrote; false for another text.
func ReadQuantity(name, text string) (int64, bool) {
	q, err := quantity.ParseQuantity(text)
	switch {
	case err != nil:
		return 0, false
	case inBytes(name), name == resource.PodsName:
		return q.Value(), true
	default:
		return q.MilliValue(), true
	}
}

// milli writes thousandths as a decimal number.
func milli(amount int64) string {
	if amount%1000 == 0 {
		return strconv.FormatInt(amount/1000, 10)
	}
	sign := ""
	whole, part := amount/1000, amount%1000
	if amount < 0 {
		sign, whole, part = "-", -whole, -part
	}
	return sign + strings.TrimRight(fmt.Sprintf("%d.%03d", whole, part), "0")
}

// inBytes says that a resource is counted in bytes.
func inBytes(name string) bool {
	return name == resource.MemoryName || name == "ephemeral-storage" || strings.HasPrefix(name, "hugepages-")
}

// Quantities are amounts by the name of their resource, as Kubernetes writes them.
type Quantities map[string]string

// amounts leaves zeros out.
func amounts(l resource.List) Quantities {
	q := Quantities{}
	for _, a := range l {
		if a.Value != 0 {
			q[a.Name] = Quantity(a.Name, a.Value)
		}
	}
	return q
}

// limits keeps zeros, for a limit of zero is not the same as none.
func limits(l resource.List) Quantities {
	q := Quantities{}
	for _, a := range l {
		q[a.Name] = Quantity(a.Name, a.Value)
	}
	return q
}

// before orders names of resources for people: cpu, memory, then by name.
func before(a, b string) int {
	rank := func(name string) int {
		switch name {
		case resource.CPUName:
			return 0
		case resource.MemoryName:
			return 1
		default:
			return 2
		}
	}
	if r := rank(a) - rank(b); r != 0 {
		return r
	}
	return strings.Compare(a, b)
}
