package loop

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// shard writes of this scheduler's NodeShard which nodes it uses, and what is still to come
// and to go, if it shows something else: the schedulers of other shards use no node before.
func (rp *reports) shard(now time.Time) {
	shard, nodes := rp.l.observer.Shard()
	if shard == nil {
		return
	}
	use := set(nodes)
	var gone []string
	for _, n := range shard.Status.NodesInUse {
		if !use[n] {
			gone = append(gone, n)
		}
	}
	for _, n := range rp.inUse(gone) {
		use[n] = true
	}
	desired := set(shard.Spec.NodesDesired)
	inUse, toAdd, toRemove := sorted(use, nil), sorted(desired, use), sorted(use, desired)
	s := &shard.Status
	if slices.Equal(inUse, sorted(set(s.NodesInUse), nil)) && slices.Equal(toAdd, sorted(set(s.NodesToAdd), nil)) &&
		slices.Equal(toRemove, sorted(set(s.NodesToRemove), nil)) {
		return
	}
	words := writtenShard{shard.ResourceVersion, fmt.Sprint(inUse, toAdd, toRemove), now}
	if was := rp.l.reported.shard; was.words == words.words && was.version == words.version && now.Sub(was.at) < underWay {
		return
	}
	if rp.l.executor.ShardStatus(shard.Name, string(shard.UID), inUse, toAdd, toRemove) {
		rp.l.reported.shard = words
	}
}

// writtenShard is what was last written of the NodeShard, and of which version.
type writtenShard struct {
	version, words string
	at             time.Time
}

// inUse are those of some nodes that are used still: the engine may still place pods there, or a
// pod is being bound there.
func (rp *reports) inUse(nodes []string) (out []string) {
	if len(nodes) == 0 {
		return nil
	}
	led, bound := rp.l.engine.Ledger(), map[string]bool{}
	led.Jobs.Each(func(id ledger.JobID) bool {
		led.Jobs.Tasks(id, model.Binding, func(t ledger.TaskID) bool {
			if n := led.Task(t).Commitment.Node; n != ledger.NoNode {
				bound[led.Node(n).Name] = true
			}
			return true
		})
		return true
	})
	for _, name := range nodes {
		id, known := led.Nodes.Find(name)
		mine := known && led.Node(id).Fact != nil && !led.Node(id).Fact.Elsewhere
		if mine || bound[name] {
			out = append(out, name)
		}
	}
	return out
}

func set(names []string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// sorted are the names that are not among others.
func sorted(names, others map[string]bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(names)), func(n string) bool { return others[n] })
}
