package lint

import (
	"maps"
	"slices"
)

// rule is what holds of all findings of a name. Names are a contract: they are added, never renamed.
type rule struct {
	severity Severity
	title    string // what is wrong, in general
	do       string
}

var rules = map[string]rule{
	"file-refused": {Error, "a file cannot be read, or is no YAML or JSON",
		"correct the name of the file, or its text at that line"},
	"object-refused": {Error, "the API server refuses the object",
		"correct the field; kubectl explain has its type"},
	"object-unknown-field": {Warning, "a field that no version of the kind has",
		"remove it, or correct its name: the API server drops it without a word"},
	"object-twice": {Warning, "an object is given twice, and one of them has no effect",
		"keep one of them"},
	"object-problem": {Warning, "an object is taken otherwise than it is written",
		"correct the object as the message says"},
	"object-set-aside": {Error, "a field makes the scheduler set the object aside",
		"correct the field: until then the object takes no part in scheduling"},
	"object-value-replaced": {Warning, "another value is taken for the one that is written",
		"write the value that is meant"},
	"configuration-refused": {Error, "the scheduler's configuration is refused",
		"correct the line: a running scheduler keeps its last configuration, a new one does not start"},
	"configuration-warning": {Warning, "a setting of the configuration has no effect or is replaced",
		"remove the setting, or correct it; docs/configuration.md has all of them"},

	"queue-parent": {Error, "a queue's parents form a ring, or one does not exist",
		"name a parent that exists and is not below the queue: until then its jobs wait"},
	"queue-guarantee": {Warning, "queues are guaranteed more together than the queue above, or the nodes, have",
		"lower guarantees until they add up to no more than the queue above, or the nodes, have"},
	"queue-deserved": {Warning, "queues deserve more than there is",
		"lower spec.deserved until it adds up to no more than the queue above, or the nodes, have"},
	"queue-capability": {Warning, "a queue's capability is above that of a queue over it",
		"lower it to what the queue above may hold: that holds anyway"},
	"queue-no-effect": {Note, "a field that the configured plugins do not read",
		"remove the field, or configure the plugin that reads it"},

	"job-never-runs": {Error, "a job cannot run on these nodes and in its queue, were they empty",
		"ask for less, or add what the message names; ashlar why job says what would make it run"},
	"job-too-few-pods": {Error, "a gang's minimum is above the number of its pods",
		"lower minMember, or raise the replicas"},
	"job-without-pods": {Note, "a PodGroup has no pods among the input",
		"nothing, if a controller makes them later"},
	"job-min-resources": {Warning, "minResources is not what the minimum of pods asks for",
		"leave spec.minResources out, or write the sum of what minMember pods ask for"},
	"job-queue": {Error, "a job names a queue that takes no jobs",
		"name a queue that exists, is open and has no queues below it"},
	"job-priority-class": {Error, "a PriorityClass does not exist",
		"make the PriorityClass, or name another: the API server refuses pods that name it"},
	"job-one-limit": {Warning, "all pods have one limit, so no job passes a planned start",
		"give jobs the limits that they need, or ashlar.sh/duration and backfill.trust: declared"},
	"job-deadline": {Warning, "a job's deadline ends before it could start",
		"raise sla-waiting-time, or give its queue more room"},
	"podgroup-missing": {Error, "pods name a PodGroup that does not exist",
		"make the PodGroup, or correct the annotation scheduling.k8s.io/group-name of the pods: until then they wait"},
	"podgroup": {Warning, "a PodGroup asks for something that is not heeded",
		"correct the PodGroup as the message says"},

	"booking-nodes": {Warning, "a booking has fewer nodes than it asks for",
		"correct its selector or its count, or move it to a time at which older bookings have not those nodes"},
	"hypernode-tree": {Warning, "HyperNodes are no tree: rings, tiers that do not rise, members with two parents",
		"give each member one parent of a higher tier"},
	"hypernode-no-member": {Warning, "a member of a HyperNode selects nothing",
		"correct the name, the pattern or the labels, or remove the member"},
}

// Rules are the names of all rules, sorted.
func Rules() []string { return slices.Sorted(maps.Keys(rules)) }
