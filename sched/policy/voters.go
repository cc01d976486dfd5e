package policy

import "slices"

// Voters names the plugins of a tier that have a say in who may be evicted, of those that
// Reclaimable asks, or Preemptable: for the record of what a tier permitted.
func (s *Set) Voters(reclaim bool, tier int) []string {
	if reclaim {
		return s.reclaimNames[tier]
	}
	return s.preemptNames[tier]
}

// AllVoters names the plugins of all tiers that have a say in who may be evicted.
func (s *Set) AllVoters(reclaim bool) []string {
	if reclaim {
		return flat(s.reclaimNames)
	}
	return flat(s.preemptNames)
}

// VictimQueueFilters names the plugins that say which queues may give, whatever the tier: none where
// no other queue is asked.
func (s *Set) VictimQueueFilters(reclaim bool) []string {
	if reclaim {
		return flat(s.victimQueueFilterNames)
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
