package story

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"ashlar.sh/sched/resource"
)

// short names that people write, with the resources they mean.
var short = map[string]string{"gpu": "nvidia.com/gpu"}

// suffixes by falling size; an amount is printed with the first that leaves it whole.
var suffixes = []struct {
	text string
	num  int64
}{
	{"Ei", 1 << 60}, {"Pi", 1 << 50}, {"Ti", 1 << 40}, {"Gi", 1 << 30}, {"Mi", 1 << 20}, {"Ki", 1 << 10},
	{"E", 1e18}, {"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3},
}

// amounts reads name=quantity or name:quantity, separated by commas, into the engine's
// units.
func amounts(text string) (resource.List, error) {
	var out resource.List
	for _, one := range strings.Split(text, ",") {
		i := strings.IndexAny(one, "=:")
		if i < 1 {
			return nil, fmt.Errorf("%q is not an amount such as cpu=4", one)
		}
		name := one[:i]
		if long, ok := short[name]; ok {
			name = long
		}
		v, err := quantity(name, one[i+1:])
		if err != nil {
			return nil, err
		}
		out = append(out, resource.Amount{Name: name, Value: v})
	}
	return resource.Normalize(out), nil
}

// quantity reads 4, 1500m, 2.5, 4Gi, 10k.
func quantity(name, text string) (int64, error) {
	number, factor := text, big.NewRat(1, 1)
	if cut, ok := strings.CutSuffix(text, "m"); ok {
		number, factor = cut, big.NewRat(1, 1000)
	} else {
		for _, s := range suffixes {
			if cut, ok := strings.CutSuffix(text, s.text); ok {
				number, factor = cut, new(big.Rat).SetInt64(s.num)
				break
			}
		}
	}
	if number == "" || strings.Trim(number, "0123456789.") != "" {
		return 0, fmt.Errorf("%s: %q is not a quantity such as 4, 1500m or 2Gi", name, text)
	}
	v, ok := new(big.Rat).SetString(number)
	if !ok {
		return 0, fmt.Errorf("%s: %q is not a quantity such as 4, 1500m or 2Gi", name, text)
	}
	v.Mul(v, factor).Mul(v, new(big.Rat).SetInt64(unit(name)))
	if !v.IsInt() || !v.Num().IsInt64() {
		return 0, fmt.Errorf("%s: %q is too fine or too much to count", name, text)
	}
	return v.Num().Int64(), nil
}

// unit is how many of the engine's units one of a resource is.
func unit(name string) int64 {
	switch {
	case name == resource.MemoryName, name == resource.PodsName, name == "ephemeral-storage",
		strings.HasPrefix(name, "hugepages-"):
		return 1
	default:
		return 1000
	}
}

// written is an amount as people write it.
func written(name string, v int64) string {
	u := unit(name)
	switch {
	case u > 1 && v%u != 0:
		return fmt.Sprintf("%dm", v)
	case u > 1 || name == resource.PodsName || v == 0:
		return fmt.Sprint(v / u)
	}
	for _, s := range suffixes[:6] {
		if v%s.num == 0 {
			return fmt.Sprintf("%d%s", v/s.num, s.text)
		}
	}
	return fmt.Sprint(v)
}

// called is the short name of a resource, where it has one.
func called(name string) string {
	for s, long := range short {
		if name == long {
			return s
		}
	}
	return name
}

// list prints amounts, cpu and memory first; places for pods are left out, and so is
// nothing at all: "-".
func list(l resource.List) string {
	var out []string
	for _, a := range inOrder(l) {
		if a.Name != resource.PodsName {
			out = append(out, called(a.Name)+"="+written(a.Name, a.Value))
		}
	}
	if len(out) == 0 {
		return "-"
	}
	return strings.Join(out, ",")
}

func inOrder(l resource.List) resource.List {
	rank := func(name string) int {
		return slices.Index([]string{"", resource.MemoryName, resource.CPUName}, name)
	}
	out := slices.Clone(l)
	slices.SortFunc(out, func(a, b resource.Amount) int {
		return cmp.Or(cmp.Compare(rank(b.Name), rank(a.Name)), cmp.Compare(a.Name, b.Name))
	})
	return out
}
