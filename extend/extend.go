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
	"fmt"
	"runtime"
	"slices"

	"ashlar.sh/internal/cli"
	"ashlar.sh/sched/policy"
)

// Main is the command with plugins beside the built ones, on the arguments and the
// streams of this process. It returns the exit code. A plugin that has the name of a
// built one takes its place. A plugin that could never be chosen, or whose arguments
// could never arrive, is an error at start: exit code 2.
func Main(plugins ...policy.Definition) int {
	p := cli.OS()
	if err := check(plugins); err != nil {
		_, file, line, _ := runtime.Caller(1)
		fmt.Fprintf(p.Err, "error: %s:%d: extend.Main: %v\n", file, line, err)
		return 2
	}
	p.Plugins = plugins
	return p.Run()
}

// check says what is wrong with plugins, and which of them it is, counted from 1.
func check(plugins []policy.Definition) error {
	names := policy.Names(plugins)
	for i, d := range plugins {
		if err := d.Check(); err != nil {
			return fmt.Errorf("plugin %d of %d: %w", i+1, len(plugins), err)
		}
		if first := slices.Index(names, d.Name); first != i {
			return fmt.Errorf("plugins %d and %d of %d have one name, %q: only one of them could be chosen",
				first+1, i+1, len(plugins), d.Name)
		}
	}
	return nil
}
