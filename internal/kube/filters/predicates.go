package filters

import (
	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/plugins/predicates"
	"ashlar.sh/sched/policy"
)

// Predicates is the plugin "predicates" with the parts that are Kubernetes' own code
// beside those of the engine, to be compiled in with sched.WithPlugin. Pods with claims
// reach it as model.Pod.Opaque, a *v1.Pod; one that has none of that is refused, if its
// Spec says that it names claims. The arguments predicate.VolumeBindingEnable,
// predicate.VolumeZoneEnable, predicate.NodeVolumeLimitsEnable and
// predicate.DynamicResourceAllocationEnable, all true by default, switch the parts off;
// without the last, pods with resource claims are refused.
func Predicates() policy.Definition { return PredicatesWith(devices.NewPrograms()) }

// PredicatesWith is Predicates with selectors of resource claims that others compile, too.
func PredicatesWith(p *devices.Programs) policy.Definition { return definition(true, p) }

// WithoutVolumes is Predicates in a world without volumes: pods that name claims of them
// are placed as if they did not.
func WithoutVolumes() policy.Definition { return definition(false, devices.NewPrograms()) }

func definition(volumes bool, programs *devices.Programs) policy.Definition {
	return policy.Define(predicates.Name, predicates.Meaning,
		func(a predicates.Arguments, l *ledger.Ledger) (policy.Parts, error) {
			own := predicates.Refusing
			if a.Devices {
				own = predicates.Allocating
			}
			parts := policy.Parts{own(a, l)}
			on := switches{binding: a.VolumeBinding, zones: a.VolumeZones, limits: a.VolumeLimits}
			if volumes && on != (switches{}) {
				v, err := with(l, on)
				if err != nil {
					return nil, err
				}
				parts = append(parts, v)
			}
			if a.Devices {
				parts = append(parts, struct{ deviceAnswers }{devices.NewWith(l, programs)})
			}
			return parts, nil
		})
}

// What the engine asks of the parts. They export more, for the ledger and for each other.
type (
	deviceAnswers interface {
		policy.StatefulPlugin
		policy.Starter
		policy.Budgeted
		policy.PrePredicate
		policy.Refuser
		policy.Stocked
		policy.DeviceReporter
	}
	quotaAnswers interface {
		policy.StatefulPlugin
		policy.JobEnqueueable
		policy.QueueFilter
		policy.Lacker
	}
)
