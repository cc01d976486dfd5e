package kubescheduler

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"

	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// compared is what some cluster of a few hundred has, so that nothing is compared in name only.
var compared = []string{
	"refused: " + names.NodeUnschedulable, "refused: " + names.TaintToleration, "refused: " + names.NodeAffinity,
	"refused: " + names.NodePorts, "refused: " + names.NodeResourcesFit, "refused: " + names.VolumeRestrictions,
	"refused: " + names.NodeVolumeLimits, "refused: " + names.VolumeBinding, "refused: " + names.VolumeZone,
	"refused: " + names.NodeDeclaredFeatures, "refused: " + names.PodTopologySpread,
	"refused: " + names.InterPodAffinity, "refused: " + names.DynamicResources,
	"scored: " + names.NodeResourcesFit, "scored: " + mostRequested, "scored: " + names.NodeAffinity,
	"scored: " + names.NodeResourcesBalancedAllocation, "scored: " + names.TaintToleration,
	"scored: " + names.ImageLocality, "scored: " + names.InterPodAffinity, "scored: " + names.PodTopologySpread,
}

func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func TestRandomClusters(t *testing.T) {
	k := newKubeScheduler(t)
	seed, clusters := number(t, "ASHLAR_CLUSTER_SEED", 1), number(t, "ASHLAR_CLUSTERS", 300)
	kinds, seen := map[string]int{}, coverage{}
	for s := seed; s < seed+clusters; s++ {
		c := drawCluster(s)
		for _, d := range compare(t, k, c, seen) {
			if kinds[d.what]++; kinds[d.what] == 1 {
				c := shrink(t, k, c, d.what)
				t.Errorf("seed %d: %v\nmade smaller: %v\n%s", s, d, compare(t, k, c, nil), written(t, c))
			}
		}
	}
	if clusters >= 300 {
		for _, what := range compared {
			if seen[what] == 0 {
				t.Errorf("no cluster was drawn in which something is %s", what)
			}
		}
	}
	for _, what := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%7d %s", seen[what], what)
	}
	t.Log(kinds)
}
