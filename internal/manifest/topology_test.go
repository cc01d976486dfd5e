package manifest

import (
	"testing"

	"ashlar.sh/sched/model"
)

// A Volcano Job hands what it asks of the network on to its PodGroup.
func TestAVolcanoJobsTopologyIsItsPodGroups(t *testing.T) {
	w := expanded(t, `
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  networkTopology: {mode: hard, highestTierName: rack}
  tasks:
  - {name: worker, replicas: 2, template: {spec: {containers: [{name: c, image: i}]}}}
`)
	for _, it := range w.Items {
		if g, ok := it.Fact.Object.(*model.PodGroup); ok {
			if want := (model.Topology{Hard: true, Highest: -1, HighestName: "rack"}); g.Topology == nil || *g.Topology != want {
				t.Errorf("%+v", g.Topology)
			}
			return
		}
	}
	t.Error("no PodGroup")
}
