package policy

import "slices"

// Voters names the plugins of a tier that judge victims, those of Reclaimable or those of Preemptable:
// for the record of what a tier permitted.
func (s *Set) Voters(reclaim bool, tier int) []string {
	if reclaim {
		return s.reclaimNames[tier]
	}
	return s.preemptNames[tier]
}

// AllVoters names the plugins of all tiers that judge victims.
func (s *Set) AllVoters(reclaim bool) []string {
	if reclaim {
		return flat(s.reclaimNames)
	}
	return flat(s.preemptNames)
}

// VictimQueueFilters names the plugins that say which queues may lose tasks, whatever the tier: none
// where only one queue is concerned.
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
