package policy

import "slices"

// Voters names the plugins of a tier that judge victims, those of Reclaimable or those of Preemptable:
// for the record of what a tier permitted.
func (ev *Eviction) Voters(reclaim bool, tier int) []string {
	if reclaim {
		return ev.reclaimable.names[tier]
	}
	return ev.preemptable.names[tier]
}

// AllVoters names the plugins of all tiers that judge victims.
func (ev *Eviction) AllVoters(reclaim bool) []string {
	if reclaim {
		return flat(ev.reclaimable.names)
	}
	return flat(ev.preemptable.names)
}

// QueueFilters names the plugins that say which queues may lose tasks, whatever the tier: none
// where only one queue is concerned.
func (ev *Eviction) QueueFilters(reclaim bool) []string {
	if reclaim {
		return flat(ev.queueFilters.names)
	}
	return nil
}

// flat is the names of all tiers, each once.
func flat(tiers [][]string) (all []string) {
	for _, names := range tiers {
		for _, name := range names {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}
