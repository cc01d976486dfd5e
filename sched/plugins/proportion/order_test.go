package proportion_test

import (
	"reflect"
	"testing"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

const gpu = "example.com/gpu"

func TestShareAndOverused(t *testing.T) {
	tests := map[string]struct {
		queue  queue
		micro  int64
		over   bool
		shorts []trace.Short
	}{
		"holds nothing, asks for nothing": {queue: queue{weight: 1}},
		"holds half of what it deserves":  {queue: queue{weight: 1, running: 2, pending: 2}, micro: 500_000},
		"holds all it deserves": {
			queue: queue{weight: 1, running: 5, pending: 5}, micro: 1_000_000, over: true,
			shorts: []trace.Short{{Dim: "cpu", Need: 5_000, Have: 5_000}},
		},
		"holds more than it deserves": {
			queue: queue{weight: 1, running: 8}, micro: 1_600_000, over: true,
			shorts: []trace.Short{{Dim: "cpu", Need: 5_000, Have: 8_000}},
		},
		"one dimension below is enough to be served": {
			queue: queue{weight: 1, runs: also(cpu(8), resource.MemoryName, 10), waits: also(nil, resource.MemoryName, 40)},
			micro: 1_600_000,
		},
		"nothing but work that asks for nothing": {queue: queue{weight: 1, waits: also(nil, resource.PodsName, 1)}},
		"holds what it deserves none of": {
			queue: queue{weight: 1, capabilities: also(nil, resource.CPUName, 0), running: 2}, micro: fair.MaxMicro, over: true,
			shorts: []trace.Short{{Dim: "cpu", Need: 0, Have: 2_000}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.queue.name = "a"
			c := newCluster(t, 0, test.queue, queue{name: "b", weight: 1, pending: 100})
			c.node(also(cpu(10), resource.MemoryName, 100))
			c.open()
			f := c.figures("a")
			if f.ShareMicro != test.micro || f.Overused != test.over {
				t.Errorf("share %d, overused %t; want %d, %t", f.ShareMicro, f.Overused, test.micro, test.over)
			}
			r, over := c.p.Overused(c.id("a"))
			if over != test.over || !reflect.DeepEqual(r.Shorts, test.shorts) {
				t.Errorf("overused %t for %+v, want %t for %+v", over, r.Shorts, test.over, test.shorts)
			}
			if over && (r.Code != trace.QueueOverused || r.Queue != "a") {
				t.Errorf("the reason is %+v", r)
			}
		})
	}
}

func TestQueueOrder(t *testing.T) {
	tests := map[string]struct {
		first, second queue
	}{
		"the smaller share goes first": {queue{running: 1, pending: 4}, queue{running: 2, pending: 3}},
		"priority goes before share":   {queue{priority: 1, running: 4, pending: 1}, queue{pending: 5}},
		"what holds without deserving goes last": {queue{running: 5},
			queue{capabilities: also(nil, resource.CPUName, 0), running: 1}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.first.name, test.second.name, test.first.weight, test.second.weight = "a", "b", 1, 1
			c := newCluster(t, 10, test.first, test.second)
			a, b := c.id("a"), c.id("b")
			if c.p.CompareQueues(a, b) >= 0 || c.p.CompareQueues(b, a) <= 0 {
				t.Errorf("a against b is %d, b against a %d", c.p.CompareQueues(a, b), c.p.CompareQueues(b, a))
			}
		})
	}
}

func TestAllocatable(t *testing.T) {
	tests := map[string]struct {
		queue queue
		asks  resource.List
		want  int64 // of 10
		why   trace.Reason
	}{
		"as many as fit below deserved": {
			queue: queue{weight: 1, running: 1, pending: 9}, asks: cpu(2), want: 2,
		},
		"all that are wanted": {queue: queue{weight: 1, pending: 10}, asks: also(nil, resource.CPUName, 10), want: 10},
		"none above deserved": {
			queue: queue{weight: 1, running: 4, pending: 6}, asks: cpu(2),
			why: trace.Reason{Code: trace.QueueDeserved, Queue: "a", Shorts: []trace.Short{{Dim: "cpu", Need: 6_000,
				Have: 5_000}}},
		},
		"none where the queue holds more than it deserves": {
			queue: queue{weight: 1, running: 8}, asks: cpu(1),
			why: trace.Reason{Code: trace.QueueDeserved, Queue: "a", Shorts: []trace.Short{{Dim: "cpu", Need: 9_000,
				Have: 5_000}}},
		},
		"only the dimensions that are asked for": {
			queue: queue{weight: 1, running: 8}, asks: also(nil, resource.MemoryName, 10), want: 1,
		},
		"a resource that no node offers is the nodes' matter": {
			queue: queue{weight: 1, pending: 10}, asks: also(nil, gpu, 1000), want: 10,
		},
		"none in a queue that is not open": {
			queue: queue{weight: 1, pending: 10, state: model.QueueClosing}, asks: cpu(1),
			why: trace.Reason{Code: trace.QueueNotOpen, Queue: "a", Text: "Closing"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.queue.name = "a"
			c := newCluster(t, 0, test.queue, queue{name: "b", weight: 1, pending: 100})
			c.node(also(cpu(10), resource.MemoryName, 10))
			class := c.l.Task(c.pod("asks", "a", test.asks, "")).Class
			c.open()
			if got := c.p.Allocatable(c.id("a"), class, 10); got != test.want {
				t.Errorf("a may take %d more, want %d", got, test.want)
			}
			if test.want > 0 {
				return
			}
			if got := c.p.WhyNot(c.id("a"), class); !reflect.DeepEqual(got, test.why) {
				t.Errorf("the reason is %+v, want %+v", got, test.why)
			}
		})
	}
}
