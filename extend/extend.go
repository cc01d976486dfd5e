// Package extend makes an ashlar with plugins of your own compiled in.
//
// It is the whole command: scheduler, simulate and the rest know the plugins by their
// names, a volcano-scheduler.conf may put them into its tiers, and their arguments come
// to them as they are written. examples/outoftree is a program of it.
//
// It loads nothing at run time and keeps nothing: a plugin is Go code that is built with
// the scheduler, as kube-scheduler's are. What a plugin may answer is sched/policy.
package extend

import (
	"ashlar.sh/internal/cli"
	"ashlar.sh/sched/policy"
)

// Main is the command with plugins beside the built ones, on the arguments and the
// streams of this process. It returns the exit code. A plugin that has the name of a
// built one takes its place.
func Main(plugins ...policy.Definition) int {
	p := cli.OS()
	p.Plugins = plugins
	return p.Run()
}
