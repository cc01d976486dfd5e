// Package plugins is the list of the built-in plugins.
//
// It is a plain list: nothing registers itself. An engine knows the plugins in it, those that it is made with
// (sched.WithPlugin), and booking, which is always on and which no configuration names. The order of the list means
// nothing; a profile's tiers have their own order. Each plugin has a folder of its own, knows no other plugin and no
// action, and is identified by the name that configurations use (internal/config has their arguments).
//
// "Add a plugin" in CONTRIBUTING.md says step by step how another one is written, and docs/plugins.md which questions a
// plugin may answer.
package plugins

import (
	"ashlar.sh/sched/plugins/binpack"
	"ashlar.sh/sched/plugins/capacity"
	"ashlar.sh/sched/plugins/cdp"
	"ashlar.sh/sched/plugins/conformance"
	"ashlar.sh/sched/plugins/drf"
	"ashlar.sh/sched/plugins/evictioncap"
	"ashlar.sh/sched/plugins/fairshare"
	"ashlar.sh/sched/plugins/gang"
	"ashlar.sh/sched/plugins/joborder"
	"ashlar.sh/sched/plugins/minruntime"
	"ashlar.sh/sched/plugins/networktopology"
	"ashlar.sh/sched/plugins/nodegroup"
	"ashlar.sh/sched/plugins/nodeorder"
	"ashlar.sh/sched/plugins/numaaware"
	"ashlar.sh/sched/plugins/overcommit"
	"ashlar.sh/sched/plugins/packing"
	"ashlar.sh/sched/plugins/pdb"
	"ashlar.sh/sched/plugins/predicates"
	"ashlar.sh/sched/plugins/priority"
	"ashlar.sh/sched/plugins/proportion"
	"ashlar.sh/sched/plugins/rescheduling"
	"ashlar.sh/sched/plugins/resourcequota"
	"ashlar.sh/sched/plugins/sla"
	"ashlar.sh/sched/plugins/tdm"
	"ashlar.sh/sched/policy"
)

// All lists the definitions of the built-in plugins, in a new slice each time.
func All() []policy.Definition {
	return []policy.Definition{
		priority.Definition(),
		gang.Definition(),
		conformance.Definition(),
		pdb.Definition(),
		cdp.Definition(),
		minruntime.Definition(),
		evictioncap.Definition(),
		tdm.Definition(),
		rescheduling.Definition(),
		proportion.Definition(),
		capacity.Definition(),
		drf.Definition(),
		fairshare.Definition(),
		overcommit.Definition(),
		resourcequota.Definition(),
		sla.Definition(),
		predicates.Definition(),
		nodegroup.Definition(),
		networktopology.Definition(),
		numaaware.Definition(),
		nodeorder.Definition(),
		binpack.Definition(),
		joborder.Definition(),
		packing.Definition(),
	}
}
