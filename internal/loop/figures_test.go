package loop

import (
	"maps"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"

	"ashlar.sh/sched"
	"ashlar.sh/sched/resource"
)

// queueMetrics is what every volcano_queue_ metric says of one queue, a metric of another
// resource under its name and that of the resource.
func queueMetrics(t *testing.T, m *metrics, queue string) map[string]float64 {
	t.Helper()
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]float64{}
	for _, f := range families {
		for _, s := range f.GetMetric() {
			if f.GetType() != dto.MetricType_GAUGE || !strings.HasPrefix(f.GetName(), "volcano_queue_") {
				continue
			}
			of := map[string]string{}
			for _, l := range s.GetLabel() {
				of[l.GetName()] = l.GetValue()
			}
			if of["queue_name"] == queue {
				shown[strings.TrimSuffix(f.GetName()+" "+of["resource"], " ")] = s.GetGauge().GetValue()
			}
		}
	}
	return shown
}

// What the report says of a queue is what its metrics say, in Volcano's units: CPU and
// other resources in milli, memory in bytes under Volcano's name and under the seeds'
// (seed 000 §14.5); and there is no metric of a queue that this does not name.
func TestAQueuesFiguresAreItsMetrics(t *testing.T) {
	m := newMetrics()
	list := func(cpu, memory, gpu int64) resource.List {
		return resource.List{{Name: "cpu", Value: cpu}, {Name: "memory", Value: memory}, {Name: "nvidia.com/gpu", Value: gpu}}
	}
	m.queue(&sched.QueueReport{Name: "research", Weight: 3, ShareMicro: 750_000, Overused: true,
		Allocated: list(6000, 1<<30, 8000), Request: list(10_000, 2<<30, 9000), Deserved: list(8000, 3<<30, 4000),
		Inqueue: list(1000, 4<<30, 2000), Capability: list(20_000, 5<<30, 16_000),
		RealCapability: list(18_000, 6<<30, 12_000)})
	m.queue(&sched.QueueReport{Name: "idle", Weight: 1, Deserved: list(500, 0, 0)[:1]})

	want := map[string]float64{"volcano_queue_weight": 3, "volcano_queue_share": 0.75, "volcano_queue_overused": 1}
	for figure, is := range map[string][3]float64{
		"allocated":     {6000, 1 << 30, 8000},
		"request":       {10_000, 2 << 30, 9000},
		"deserved":      {8000, 3 << 30, 4000},
		"inqueue":       {1000, 4 << 30, 2000},
		"capacity":      {20_000, 5 << 30, 16_000},
		"real_capacity": {18_000, 6 << 30, 12_000},
	} {
		name := "volcano_queue_" + figure
		want[name+"_milli_cpu"] = is[0]
		want[name+"_memory_bytes"], want[name+"_memory"] = is[1], is[1]
		want[name+"_scalar_resources nvidia.com/gpu"] = is[2]
	}
	same(t, queueMetrics(t, m, "research"), want)
	same(t, queueMetrics(t, m, "idle"), map[string]float64{"volcano_queue_weight": 1, "volcano_queue_share": 0,
		"volcano_queue_overused": 0, "volcano_queue_deserved_milli_cpu": 500})
}

func same(t *testing.T, got, want map[string]float64) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if x, there := got[name]; !there || x != want[name] {
			t.Errorf("%s is %v (there: %v), want %v", name, x, there, want[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, meant := want[name]; !meant {
			t.Errorf("%s is %v, and was not requested", name, got[name])
		}
	}
}
