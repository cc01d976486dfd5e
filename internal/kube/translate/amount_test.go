package translate

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"ashlar.sh/sched/resource"
)

func amountsOf(t *testing.T, path string, bound func(string) int64, pairs ...string) (resource.List, faults) {
	t.Helper()
	var f faults
	return f.amounts(path, list(pairs...), bound), f
}

// list makes a resource list of names and quantities in turns.
func list(pairs ...string) corev1.ResourceList {
	out := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		out[corev1.ResourceName(pairs[i])] = quantity.MustParse(pairs[i+1])
	}
	return out
}

func TestAmountsInTheEnginesUnits(t *testing.T) {
	tests := map[string]struct {
		name, text string
		want       int64
	}{
		"cpu counts in milli":                      {"cpu", "1.5", 1500},
		"a part of a milli rounds up":              {"cpu", "100u", 1},
		"a part of a byte rounds up":               {"memory", "0.1", 1},
		"milli bytes round up":                     {"memory", "1500m", 2},
		"memory counts in bytes":                   {"memory", "2Gi", 2 << 30},
		"ephemeral storage counts in bytes":        {"ephemeral-storage", "1k", 1000},
		"huge pages count in bytes":                {"hugepages-2Mi", "4Mi", 4 << 20},
		"attachable volumes count whole":           {"attachable-volumes-csi-x", "39", 39},
		"places for pods count whole":              {"pods", "110", 110},
		"other resources count in milli":           {"nvidia.com/gpu", "8", 8000},
		"a name without a domain is kept":          {"gpu", "1", 1000},
		"an exponent is a number like any other":   {"cpu", "1e3", 1_000_000},
		"zero with a huge exponent is zero":        {"cpu", "0e999999999", 0},
		"the bound itself is within it":            {"memory", "256Ti", 1 << 48},
		"the bound in milli is within it":          {"cpu", "281474976710656m", 1 << 48},
		"a resource that is counted in bytes":      {"sgx.intel.com/epc", "512Gi", 512 << 30 * 1000},
		"the bound of such a one":                  {"sgx.intel.com/epc", "256Ti", 1000 << 48},
		"the smallest quantity is a unit":          {"cpu", "1n", 1},
		"more digits than int64 but a small value": {"cpu", "1.00000000000000000000000", 1000},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, f := amountsOf(t, "x", objectBound, tt.name, tt.text)
			if len(f) != 0 || len(got) != 1 || got[0] != (resource.Amount{Name: tt.name, Value: tt.want}) {
				t.Errorf("%s of %s: %v, faults %v, want %d", tt.text, tt.name, got, f, tt.want)
			}
		})
	}
}

func TestAbsurdAmountsAreFatalAndNeverCounted(t *testing.T) {
	tests := []struct {
		name, text string
		bound      func(string) int64
		want       string
	}{
		{"cpu", "1e16", objectBound, "10e15 is more than the bound of 281474976710656m"},
		{"cpu", "8Ei", objectBound, "9223372036854775807 is more than the bound of 281474976710656m"},
		{"cpu", "281474976710657m", objectBound, "281474976710657m is more than the bound of 281474976710656m"},
		{"cpu", "281474976710656.0001m", objectBound, "281474976710656000100n is more than the bound of 281474976710656m"},
		{"memory", "281474976710657", objectBound, "281474976710657 is more than the bound of 256Ti"},
		{"memory", "1234567890123456789012345678901234567890", objectBound,
			"1234567890123456789012345678901234567890 is more than the bound of 256Ti"},
		{"memory", "1e999999999", objectBound, "1e999999999 is more than the bound of 256Ti"},
		{"sgx.intel.com/epc", "257Ti", objectBound, "257Ti is more than the bound of 281474976710656"},
		{"sgx.intel.com/epc", "8Pi", clusterBound, "8Pi is more than the bound of 4611686018427387904m"},
		{"pods", "1e30", objectBound, "1e30 is more than the bound of 281474976710656"},
		{"cpu", "-1", objectBound, "-1 is negative"},
		{"memory", "-1n", objectBound, "-1n is negative"},
		{"cpu", "-1e999", objectBound, "-1e999 is negative"},
		{"cpu", "8Ei", clusterBound, "9223372036854775807 is more than the bound of 1152921504606846976m"},
		{"memory", "2Ei", clusterBound, "2Ei is more than the bound of 1Ei"},
	}
	for _, tt := range tests {
		t.Run(tt.text+" of "+tt.name, func(t *testing.T) {
			got, f := amountsOf(t, "spec.x", tt.bound, tt.name, tt.text)
			if len(got) != 0 || len(f) != 1 || !f[0].Fatal {
				t.Fatalf("%v, faults %v", got, f)
			}
			if f[0].Field != at("spec.x", tt.name) || f[0].Message != tt.want {
				t.Errorf("%s: %s", f[0].Field, f[0].Message)
			}
		})
	}
}

func TestNamesThatOnlyQuotasKnowAreDropped(t *testing.T) {
	got, f := amountsOf(t, "x", objectBound, "cpu", "1", "count/pods", "3", "requests.cpu", "1", "limits.memory", "1",
		"services", "1", "gold.storageclass.storage.k8s.io/requests.storage", "1", "storage", "1")
	if len(f) != 0 || len(got) != 1 || got[0].Name != "cpu" {
		t.Errorf("%v, faults %v", got, f)
	}
}

func TestAPathNamesAResourceWithDots(t *testing.T) {
	_, f := amountsOf(t, "status.allocatable", objectBound, "nvidia.com/gpu", "-1")
	if len(f) != 1 || f[0].Field != "status.allocatable[nvidia.com/gpu]" {
		t.Errorf("%v", f)
	}
}

// Any text that is a quantity gives an amount within the bound that is the quantity
// rounded up, or a fatal fault exactly if it is negative or above the bound.
func TestAnyQuantityIsExactOrRefused(t *testing.T) {
	shape := rapid.StringMatching(`[-+]?[0-9]{1,25}(\.[0-9]{1,12})?(e-?[0-9]{1,2}|n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?`)
	rapid.Check(t, func(t *rapid.T) {
		text := shape.Draw(t, "text")
		name := rapid.SampledFrom([]string{"cpu", "memory", "sgx.intel.com/epc"}).Draw(t, "name")
		of := []func(string) int64{objectBound, clusterBound}[rapid.IntRange(0, 1).Draw(t, "bound")]
		bound := of(name)
		q, err := quantity.ParseQuantity(text)
		if err != nil {
			t.Skip()
		}
		limit := *quantity.NewQuantity(bound, quantity.DecimalSI)
		unit := quantity.Scale(0)
		if name != "memory" {
			limit, unit = *quantity.NewMilliQuantity(bound, quantity.DecimalSI), quantity.Milli
		}
		var f faults
		v, ok := f.amount("x", corev1.ResourceName(name), q, of)
		absurd := q.Sign() < 0 || q.Cmp(limit) > 0
		if ok == absurd || absurd != (len(f) == 1) {
			t.Fatalf("%s: ok %t, faults %v", text, ok, f)
		}
		if !ok {
			return
		}
		up, below := *quantity.NewScaledQuantity(v, unit), *quantity.NewScaledQuantity(v-1, unit)
		if v < 0 || v > bound || up.Cmp(q) < 0 || (v > 0 && below.Cmp(q) >= 0) {
			t.Fatalf("%s of %s became %d", text, name, v)
		}
	})
}
