package filters

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/plugins/predicates"
	"ashlar.sh/sched/policy"
)

// Predicates is the plugin "predicates" with the parts that are Kubernetes' own code
// beside those of the engine, to be compiled in with sched.WithPlugin. Pods with claims
// reach it as model.Pod.Opaque, a *v1.Pod; one that has none of that is refused, if its
// Spec says that it names claims. The arguments predicate.VolumeBindingEnable,
// predicate.VolumeZoneEnable and predicate.NodeVolumeLimitsEnable, all true by default,
// switch the parts off.
func Predicates() policy.Definition {
	own := predicates.Definition()
	return policy.Definition{Name: own.Name, New: func(c policy.Choice, l *ledger.Ledger) (any, error) {
		plugin, err := own.New(c, l)
		if err != nil {
			return nil, err
		}
		var on switches
		for _, s := range []struct {
			key string
			on  *bool
		}{
			{"predicate.VolumeBindingEnable", &on.binding},
			{"predicate.VolumeZoneEnable", &on.zones},
			{"predicate.NodeVolumeLimitsEnable", &on.limits},
		} {
			if *s.on, err = c.Arguments.Bool(s.key, true); err != nil {
				return nil, err
			}
		}
		if on == (switches{}) {
			return plugin, nil
		}
		v, err := with(l, on)
		return group{plugin, v}, err
	}}
}

// group is two plugins of which each answers for itself.
type group [2]any

// Parts implements policy.Group.
func (g group) Parts() []any { return g[:] }
