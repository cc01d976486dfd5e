package explain

import "testing"

func TestQuantitiesAreThoseOfKubernetes(t *testing.T) {
	for _, c := range []struct {
		name   string
		amount int64
		want   string
	}{
		{"cpu", 28_000, "28"},
		{"cpu", 1_500, "1.5"},
		{"cpu", 0, "0"},
		{"memory", 64 << 30, "64Gi"},
		{"memory", 1_500_000_000, "1500000000"},
		{"ephemeral-storage", 10 << 20, "10Mi"},
		{"hugepages-2Mi", 4 << 20, "4Mi"},
		{"nvidia.com/gpu", 4_000, "4"},
		{"example.com/fraction", 250, "0.25"},
		{"pods", 110, "110"},
	} {
		if got := Quantity(c.name, c.amount); got != c.want {
			t.Errorf("%d units of %s are written %q, want %q", c.amount, c.name, got, c.want)
		}
	}
}

func TestSharesHaveSixDecimals(t *testing.T) {
	for micro, want := range map[int64]string{0: "0.000000", 1_000_000: "1.000000", 666_667: "0.666667",
		12_000_001: "12.000001", -5: "-0.000005"} {
		if got := Share(micro).String(); got != want {
			t.Errorf("%d millionths are written %s, want %s", micro, got, want)
		}
	}
}
