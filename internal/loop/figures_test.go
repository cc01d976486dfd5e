package loop

import (
	"testing"

	dto "github.com/prometheus/client_model/go"

	"ashlar.sh/sched"
	"ashlar.sh/sched/resource"
)

// What the report says of a queue is what its metrics say, in Volcano's units.
func TestAQueuesFiguresAreItsMetrics(t *testing.T) {
	m := newMetrics()
	list := func(cpu, memory, gpu int64) resource.List {
		return resource.List{{Name: "cpu", Value: cpu}, {Name: "memory", Value: memory}, {Name: "nvidia.com/gpu", Value: gpu}}
	}
	m.queue(&sched.QueueReport{Name: "research", Weight: 3, ShareMicro: 750_000, Overused: true,
		Allocated: list(6000, 1<<30, 8000), Request: list(10_000, 2<<30, 9000), Deserved: list(8000, 3<<30, 4000)})
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]float64{}
	for _, f := range families {
		for _, s := range f.GetMetric() {
			if f.GetType() == dto.MetricType_GAUGE && len(s.GetLabel()) > 0 && s.GetLabel()[0].GetValue() == "research" {
				shown[f.GetName()] = s.GetGauge().GetValue()
			}
		}
	}
	for name, want := range map[string]float64{
		"volcano_queue_weight": 3, "volcano_queue_share": 0.75, "volcano_queue_overused": 1,
		"volcano_queue_allocated_milli_cpu": 6000, "volcano_queue_allocated_memory_bytes": 1 << 30, "volcano_queue_allocated_memory": 1 << 30,
		"volcano_queue_request_milli_cpu": 10_000, "volcano_queue_request_memory": 2 << 30,
		"volcano_queue_deserved_milli_cpu": 8000, "volcano_queue_deserved_memory": 3 << 30,
		"volcano_queue_allocated_scalar_resources": 8000,
	} {
		if got, ok := shown[name]; !ok || got != want {
			t.Errorf("%s is %v (there: %v), want %v", name, got, ok, want)
		}
	}
}
