package devices_test

import (
	"strings"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/sched/trace"
)

// What no node could give devices to, were none of them taken, holds back no other job of a fifo queue, and is told
// that it never starts; what waits for devices that others have does hold them back.
func TestWhatNeverHasItsDevicesHoldsNoOtherBack(t *testing.T) {
	for what, c := range map[string]struct {
		head  func() []metav1.Object
		never bool
	}{
		"more than a node has":      {func() []metav1.Object { return alone(9, "gpu", "true") }, true},
		"as many as a node has":     {func() []metav1.Object { return alone(8, "gpu", "true") }, false},
		"a gang for which too few":  {func() []metav1.Object { return gangOf("head", 5, 5, 4) }, true},
		"a gang for which enough":   {func() []metav1.Object { return gangOf("head", 4, 4, 4) }, false},
		"a class without devices":   {func() []metav1.Object { return alone(1, "tpu", "true") }, true},
		"a class that is not there": {func() []metav1.Object { return alone(1, "npu", "true") }, true},
		"a selector of none":        {func() []metav1.Object { return alone(1, "gpu", "false") }, true},
	} {
		t.Run(what, func(t *testing.T) {
			none := class("tpu")
			none.Spec.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{
				Expression: `device.driver == "tpu.example.com"`}}}
			q := &schedulingv1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Name: "default"},
				Spec: schedulingv1beta1.QueueSpec{Weight: 1, DequeueStrategy: schedulingv1beta1.DequeueStrategyFIFO}}
			w := newClusterOf(t, profile("enqueue", "allocate"), append(two(8), none, q)...)
			if what != "a selector of none" { // what a request selects is known once a node was asked
				for _, on := range []string{"busy-0", "busy-1"} {
					p, has := made(pod(on), 1)
					w.submit(0, limited(p, 3000), has)
				}
			}
			w.submit(10*time.Second, c.head()...)
			w.submit(20*time.Second, pod("behind"))
			w.run(100 * time.Second)
			if at := w.started["behind"]; (at != 0) != c.never {
				t.Errorf("the job behind it started at %v; holds nothing back: %t", at, c.never)
			}
			told := false
			for _, j := range w.Engine().Report().Jobs {
				if strings.HasPrefix(j.Name, "head") {
					told = j.Reason.Never != nil && j.Reason.Never.Code == trace.GangTooLarge
				}
			}
			if told != c.never && what != "a class that is not there" {
				t.Errorf("it is told that it never starts: %t, want %t", told, c.never)
			}
		})
	}
}

// alone is a pod that asks for so many devices of a class which an expression selects.
func alone(n int64, class, by string) []metav1.Object {
	p, c := made(pod("head-0"), n)
	ask := c.Spec.Devices.Requests[0].Exactly
	ask.DeviceClassName = class
	ask.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: by}}}
	return []metav1.Object{p, c}
}
