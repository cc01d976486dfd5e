package devices

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/test/heap"
)

// Pods and claims are as large as tenants write them: what is remembered of them when they are gone is bounded.
func TestWhatIsRememberedOfLargePodsAndClaimsIsBounded(t *testing.T) {
	const times, size = 300, 1 << 18
	d := New(nil)
	for name, c := range map[string]struct {
		one  func(text string)
		most int64
	}{
		"pods": {func(text string) {
			claim := "c"
			pod := &corev1.Pod{Spec: corev1.PodSpec{SchedulerName: text,
				ResourceClaims: []corev1.PodResourceClaim{{Name: "c", ResourceClaimName: &claim}}}}
			task := &ledger.Task{Pod: &model.Pod{Opaque: pod}}
			d.Enter(0, task)
			d.claimsOf(task)
			d.Leave(0, task)
		}, 1 << 20},
		"choices": {func(text string) {
			a, err := json.Marshal(resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
				Config: []resourcev1.DeviceAllocationConfiguration{{DeviceConfiguration: resourcev1.DeviceConfiguration{
					Opaque: &resourcev1.OpaqueDeviceConfiguration{Parameters: apiruntime.RawExtension{
						Raw: []byte(`"` + text + `"`)}}}}}}})
			if err != nil || d.questions.read(Write{Allocation: a}) == nil {
				t.Fatalf("a choice is not read: %v", err)
			}
		}, 3 * mostParsedBytes},
	} {
		t.Run(name, func(t *testing.T) {
			before := heap.InUse()
			for i := range times {
				c.one(fmt.Sprint(i) + strings.Repeat("x", size))
			}
			if held := heap.InUse() - before; held > c.most {
				t.Errorf("of %d MiB that are gone %d are held, more than %d", times*size>>20, held>>20, c.most>>20)
			}
			runtime.KeepAlive(d)
		})
	}
}
