package sched

import (
	"regexp"
	"slices"
	"strings"

	"ashlar.sh/sched/ledger"
)

// ofOwner is what Volcano's controller adds to the name of a Job for its PodGroup: the Job's UID.
var ofOwner = regexp.MustCompile(`^-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// JobsNamed returns the jobs that a name means in a namespace: those that have it; else the one that is shown by it
// (JobReport.Shown); else the PodGroups that Volcano's controller made for a Job of that name. More than one: several
// adopted jobs that have owners of different kinds, or several PodGroups.
func (q Questions) JobsNamed(namespace, name string) []ledger.JobID {
	var exact, shown, made []ledger.JobID
	jobs := &q.e.l.Jobs
	jobs.Each(func(id ledger.JobID) bool {
		k := &q.e.l.Job(id).Key
		if k.Namespace != namespace {
			return true
		}
		rest, begins := strings.CutPrefix(k.Name, name)
		switch {
		case begins && rest == "":
			exact = append(exact, id)
		case begins && ofOwner.MatchString(rest):
			made = append(made, id)
		case strings.HasPrefix(name, k.Name) && jobs.Name(id) == name:
			shown = append(shown, id)
		}
		return true
	})
	for _, found := range [][]ledger.JobID{exact, shown, made} {
		if len(found) > 0 {
			slices.SortFunc(found, q.e.reports.byName)
			return found
		}
	}
	return nil
}
