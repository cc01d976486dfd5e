package resource

import (
	"fmt"
	"slices"
	"testing"
)

const (
	gpu = "nvidia.com/gpu"
	gi  = int64(1) << 30
)

// dims has a column for gpus, so that the examples of seed 004 can be written down.
func dims() *Dims {
	d := NewDims()
	d.Intern(gpu)
	return d
}

// of is a vector of cpu, memory and gpus, as the seed writes its examples.
func of(cpu, memory, gpus int64) Vec { return Vec{cpu, memory, 0, gpus} }

// withPods is v with places for pods.
func withPods(v Vec, n int64) Vec { return v.Clone().Set(Pods, n) }

// names are the dimensions' names in the order in which users see them.
func names(short []Dim) string {
	d := dims()
	d.SortByName(short)
	out := []string{}
	for _, x := range short {
		out = append(out, d.Name(x))
	}
	return fmt.Sprint(out)
}

// asked is v in the dimensions that req asks for.
func asked(v, req Vec) Vec {
	out := make(Vec, len(v))
	for i, x := range v {
		if req.Get(Dim(i)) > 0 {
			out[i] = x
		}
	}
	return out
}

// Each operation of seed 004 that makes a vector, with the seed's own numbers where it
// gives some. All results are shown as cpu, memory, pods, gpus.
func TestTheSeedsArithmetic(t *testing.T) {
	inc, dec := of(3000, 2*gi, 0).Diff(of(2000, 4*gi, 0))
	original := of(1000, gi, 1)
	original.Clone().Add(of(1, 1, 1))
	limits := dims().Limits(List{{CPUName, 2000}})
	cases := map[string]struct{ got, want Vec }{
		"Add sums every dimension": {of(2000, 4*gi, 1).Add(of(1000, 2*gi, 1)),
			of(3000, 6*gi, 2)},
		"Add with a dimension that only the second has": {Vec{2000}.Add(of(1000, 2*gi, 1)), of(3000, 2*gi, 1)},
		"Sub takes every dimension away": {of(3000, 6*gi, 2).Sub(of(1000, 2*gi, 1)),
			of(2000, 4*gi, 1)},
		"SubWithoutAssert may leave less than nothing": {of(1000, gi, 0).Sub(of(2000, gi, 1)), of(-1000, 0, -1)},
		"Multi scales every dimension":                 {of(1000, 4*gi, 3).Scale(1, 2), of(500, 2*gi, 1)},
		"Multi rounds towards zero":                    {of(10, -10, 0).Scale(1, 3), of(3, -3, 0)},
		"Diff: increased":                              {inc, of(1000, 0, 0)},
		"Diff: decreased":                              {dec, of(0, 2*gi, 0)},
		"MinDimensionResource with Zero makes what is missing zero": {of(3000, 8*gi, 2).Min(of(2000, 16*gi, 0)),
			of(2000, 8*gi, 0)},
		"MinDimensionResource with Infinity leaves what is missing": {limits.Clip(of(3000, 8*gi, 2)), of(2000, 8*gi, 2)},
		"SetMaxResource is the init containers' maximum": {of(1000, gi/2, 0).Max(of(200, 2*gi, 0)),
			of(1000, 2*gi, 0)},
		"SetMaxResource with the containers' sum":     {of(800, gi+gi/2, 0).Max(of(1000, 2*gi, 0)), of(1000, 2*gi, 0)},
		"FitDelta is negative where room falls short": {of(2000, 4*gi, 4).FitDelta(of(3000, gi, 0)), of(-1000, 3*gi, 0)},
		"FitDelta of a dimension the node lacks":      {Vec{2000}.FitDelta(of(1000, 0, 1)), of(1000, 0, -1)},
		"Clone shares nothing with its original":      {original, of(1000, gi, 1)},
	}
	for name, c := range cases {
		if !Compare(c.got, c.want).Equal() {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
}

// Each comparison of seed 004, with the seed's own numbers where it gives some. A
// dimension that is missing is zero; Infinity is a limit without a bound.
func TestTheSeedsComparisons(t *testing.T) {
	small, big := of(1000, 2*gi, 1), of(2000, 4*gi, 2)
	more, node := of(3000, 8*gi, 2), of(2000, 4*gi, 4)
	wantGPU, wantCPU := of(0, 0, 1), of(1, 0, 0)
	cpuOnly := dims().Limits(List{{CPUName, 2000}})
	cases := map[string]struct{ got, want bool }{
		"Less: every dimension is less":          {Compare(small, big).Less(), true},
		"Less: an equal dimension spoils it":     {Compare(of(1000, 4*gi, 1), big).Less(), false},
		"Less: nothing is not less than nothing": {Compare(Vec{}, of(0, 0, 0)).Less(), false},
		"LessEqual: less":                        {Compare(small, big).LessEqual(), true},
		"LessEqual: equal":                       {Compare(big, big).LessEqual(), true},
		"LessEqual: more in one dimension":       {Compare(of(1000, 2*gi, 3), big).LessEqual(), false},
		"LessEqual with Zero: a missing dimension has no room": {
			Compare(of(1000, 0, 1), Vec{2000}).LessEqual(), false},
		"LessEqual with Infinity: a missing dimension has all the room": {
			len(cpuOnly.Short(nil, of(1000, gi, 1))) == 0, true},
		"LessEqual with Infinity: a named dimension is still a bound": {len(cpuOnly.Short(nil, of(3000, gi, 1))) == 0, false},
		"Equal: the same": {Compare(big, big.Clone()).Equal(), true},
		"Equal: zeros at the end are no difference": {Compare(Vec{1}, of(1, 0, 0)).Equal(), true},
		"Equal: one dimension differs":              {Compare(big, of(2000, 4*gi, 3)).Equal(), false},
		"LessPartly: less somewhere":                {Compare(more, node).LessPartly(), true},
		"LessPartly: less nowhere":                  {Compare(big, small).LessPartly(), false},
		"LessEqualPartly: equal somewhere":          {Compare(of(3000, 4*gi, 5), node).LessEqualPartly(), true},
		"LessEqualPartly: more everywhere":          {Compare(of(3000, 8*gi, 5), node).LessEqualPartly(), false},
		"GreaterPartly: more somewhere":             {Compare(more, node).GreaterPartly(), true},
		"GreaterPartly: more nowhere":               {Compare(small, big).GreaterPartly(), false},

		"LessEqualWithDimension looks only at what req asks for": {
			CompareIn(more, node, wantGPU).LessEqual(), true},
		"LessEqualWithDimension: short of what req asks for": {
			CompareIn(more, node, wantCPU).LessEqual(), false},
		"LessEqualWithDimension leaves pods out": {
			CompareIn(withPods(small, 9), withPods(big, 1), withPods(small, 1)).LessEqual(), true},
		"LessEqualPartlyWithDimension: in none of what req asks for": {
			CompareIn(more, node, of(1, 1, 0)).LessEqualPartly(), false},
		"LessEqualPartlyWithDimension: in one of what req asks for": {
			CompareIn(more, node, of(1, 1, 1)).LessEqualPartly(), true},
		"LessEqualPartlyWithDimensionZeroFiltered: zero in both counts for nothing": {
			CompareIn(Vec{3000}, Vec{2000}, of(1, 0, 1)).LessEqualPartly(), false},
		"LessEqualPartlyWithDimensionZeroFiltered: all filtered out is a no": {
			CompareIn(Vec{}, Vec{}, wantGPU).LessEqualPartly(), false},
		"GreaterPartlyWithDimension: more in what req asks for": {CompareIn(more, node, wantCPU).GreaterPartly(), true},
		"GreaterPartlyWithDimension: more only elsewhere":       {CompareIn(more, node, wantGPU).GreaterPartly(), false},

		"IsEmpty: nothing":                {Vec{}.IsEmpty(), true},
		"IsEmpty: zeros":                  {of(0, 0, 0).IsEmpty(), true},
		"IsEmpty: pods do not count":      {withPods(Vec{}, 3).IsEmpty(), true},
		"IsEmpty: an overdrawn dimension": {of(-1, 0, 0).IsEmpty(), true},
		"IsEmpty: a gpu":                  {wantGPU.IsEmpty(), false},
	}
	for name, c := range cases {
		if c.got != c.want {
			t.Errorf("%s: got %t", name, c.got)
		}
	}
}

// The forms that also name the dimensions that fall short.
func TestTheSeedsComparisonsWithNames(t *testing.T) {
	req, idle := of(3000, 8*gi, 2), of(2000, 4*gi, 4)
	limits := dims().Limits(List{{CPUName, 2000}, {gpu, 0}})
	cases := map[string]struct {
		short []Dim
		want  string
	}{
		"LessEqualWithResourcesName: cpu and memory fall short": {
			Short(nil, req, idle), "[cpu memory]"},
		"LessEqualWithResourcesName: all fits": {
			Short(nil, of(1000, gi, 4), idle), "[]"},
		"LessEqualWithResourcesName: a dimension the node lacks": {
			Short(nil, req, Vec{4000, 8 * gi}), "[nvidia.com/gpu]"},
		"LessEqualWithResourcesName: room overdrawn where nothing is asked": {
			Short(nil, of(0, 0, 1), of(-5, -5, 1)), "[]"},
		"LessEqualWithResourcesName with Infinity: only bounds can fall short": {limits.Short(nil, req),
			"[cpu nvidia.com/gpu]"},
		"LessEqualWithDimensionAndResourcesName: only the gpu matters": {
			Short(nil, asked(req, of(0, 0, 1)), idle), "[]"},
		"LessEqualWithDimensionAndResourcesName: the cpu matters": {
			Short(nil, asked(req, of(1, 0, 1)), idle), "[cpu]"},
		"LessEqualWithDimensionAndResourcesName: the seed's example, where neither has a gpu": {
			Short(nil, asked(of(3000, 8*gi, 0), of(0, 0, 1)), of(2000, 4*gi, 0)), "[]"},
	}
	for name, c := range cases {
		if got := names(slices.Clone(c.short)); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}
