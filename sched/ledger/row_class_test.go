package ledger

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"ashlar.sh/sched/model"
)

// Pods come and go, each with a spec of its own, as large as tenants write it. What is kept of such specs, in case that
// they come back, is bounded by their size as well as by their number.
func TestLargeSpecsOfPodsThatAreGoneAreForgotten(t *testing.T) {
	heapInUse := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	c, before := newCluster(), heapInUse()
	for i := range 400 {
		c.pod("p", 0, member("g"), func(p *model.Pod) {
			p.Spec.Selector = []model.Label{{Key: "k", Value: fmt.Sprint(i) + strings.Repeat("x", 1<<18)}}
		})
		c.tell(model.KindPod, "ns", "p", nil)
	}
	if held := heapInUse() - before; held > 3*mostRetiredKeys {
		t.Errorf("of 400 specs of 256 KiB %d MiB are held", held>>20)
	}
	if n := len(c.Classes.byKey); n < 50 {
		t.Errorf("%d specs are kept, want more", n)
	}
	runtime.KeepAlive(c)
}
