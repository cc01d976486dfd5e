//go:build !simulator

package cli

import (
	"github.com/spf13/cobra"
	busv1alpha1 "volcano.sh/apis/pkg/apis/bus/v1alpha1"

	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/internal/manifest"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// clustered are the commands that need Kubernetes' clients.
func (p Process) clustered(name string) []*cobra.Command {
	o := operator{questions{p}}
	return []*cobra.Command{p.scheduler(), playing{p}.replay(), playing{p}.history(),
		snapshots{questions{p}}.snapshot(name), snapshots{questions{p}}.compare(name), p.cluster(),
		linter{questions{p}}.lint(name), linter{questions{p}}.doctor(name), o.operate(name),
		o.jobVerb("suspend", name, busv1alpha1.AbortJobAction), o.jobVerb("resume", name, busv1alpha1.ResumeJobAction)}
}

// engine is the options of every engine: volumes are heeded, and what was compiled in
// beside the built plugins is there.
func (p Process) engine() (out []sched.Option) {
	out = append(out, sched.WithPlugin(filters.Predicates()), sched.WithPlugin(filters.Capacity()))
	return append(out, p.compiled()...)
}

// engine is the options of an engine for the input.
func (in input) engine(p Process) ([]sched.Option, error) {
	switch {
	case in.storage():
		return p.engine(), nil
	case in.devices() || in.offered() > 0:
		return append([]sched.Option{sched.WithPlugin(filters.WithoutVolumes()), sched.WithPlugin(filters.Capacity())},
			p.compiled()...), nil
	}
	return p.compiled(), nil
}

// leftOut is what of the input this build does not heed: it heeds all.
func (in input) leftOut() []manifest.Problem { return nil }

// written is what becomes of the volumes and the claims of a pod that is bound.
func written(bind sched.Item, see func(model.Ref) any) []model.Fact { return filters.Bound(bind, see) }

// freed is what becomes of the claims of a pod that is over.
func freed(pod *model.Pod, see func(model.Ref) any) []model.Fact { return filters.Over(pod, see) }

// vcctl adds to queues and jobs what vcctl has below them.
func (p questions) vcctl(name string, queues, jobs *cobra.Command) {
	o := operator{p}
	queues.AddCommand(o.queue("operate NAME --open|--close", name+" queues operate", true))
	jobs.AddCommand(
		o.job("suspend", "suspend NAME", name+" jobs suspend", busv1alpha1.AbortJobAction, true),
		o.job("resume", "resume NAME", name+" jobs resume", busv1alpha1.ResumeJobAction, true))
}
