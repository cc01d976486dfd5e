package devices_test

import (
	"fmt"
	"strings"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
)

// Of two nodes the pod gets the same one, whichever of them offers the first of its claim's alternatives.
func TestAnEarlierAlternativeIsNoScore(t *testing.T) {
	wants := func(n int64) resourcev1.DeviceSubRequest {
		return resourcev1.DeviceSubRequest{Name: fmt.Sprint("of-", n), DeviceClassName: "gpu",
			AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: n}
	}
	either := claim("a", 1)
	either.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "r",
		FirstAvailable: []resourcev1.DeviceSubRequest{wants(4), wants(2)}}}
	on := map[string]bool{}
	for _, has := range [][2]int{{4, 2}, {2, 4}} {
		w := newWorld(t, class("gpu"), node("n1"), node("n2"), slice("n1", has[0]), slice("n2", has[1]), either,
			pod("p", "a"))
		chosen, _, _ := strings.Cut(binds(t, w.decide()), ":")
		on[chosen] = true
	}
	if len(on) != 1 || on[""] {
		t.Errorf("with four and two devices and with two and four: %v, want one node", on)
	}
}
