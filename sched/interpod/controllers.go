package interpod

import (
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// controllerPods are the pods of one controller, at least two, that are spread by default: they have no
// topology spread constraint of their own.
type controllerPods struct {
	id       int64
	selector *selector
	host     *DomainCount
	zone     *DomainCount
}

// The default topology spread constraints of such pods. Source: kube-scheduler's system defaults.
const (
	zoneKey     = "topology.kubernetes.io/zone"
	hostMaxSkew = 3
	zoneMaxSkew = 5
)

// ownerKey is a label key that stands for the pod's controller, by which such pods are selected. No label of
// the API has an empty key.
const ownerKey = ""

// spreading lists the kinds of controllers whose pods are spread by default, as OwnerID begins. It has
// Deployment for pods whose chain of owners is known up to the Deployment.
var spreading = [...]string{"ReplicaSet.apps/", "StatefulSet.apps/", "Deployment.apps/", "ReplicationController/"}

// spreads says that a pod has a controller of such a kind.
func spreads(p *model.Pod) bool {
	for _, kind := range spreading {
		if strings.HasPrefix(p.OwnerID, kind) {
			return true
		}
	}
	return false
}

func controllerKey(namespace, owner string) string { return namespace + "\x00" + owner }

// Even turns on default spreading: pods of one ReplicaSet, StatefulSet, Deployment or ReplicationController
// that have no topology spread constraint of their own get the default ones.
func (b *Affinities) Even() {
	if b.even {
		return
	}
	b.even, b.owned = true, map[string]int{}
	b.l.Tasks(func(t ledger.TaskID) bool {
		b.count(b.l.Task(t).Pod, 1)
		return true
	})
	b.live, b.stale = true, true // from now on the pods that are there are told apart by their controllers, too
}

// count counts a pod of a controller whose pods are spread. The second pod of a controller starts the
// counting.
func (b *Affinities) count(p *model.Pod, x int) {
	if !b.even || !spreads(p) {
		return
	}
	key := controllerKey(p.Namespace, p.OwnerID)
	was := b.owned[key]
	if b.owned[key] = was + x; was+x == 0 {
		delete(b.owned, key)
	}
	if (was < 2) == (was+x < 2) {
		return
	}
	if !b.live {
		b.live, b.stale = true, true
	}
	b.changed = append(b.changed, label{p.Namespace, p.OwnerID})
}

// updateControllers adds controllerPods for controllers that have two pods by now, and drops those of
// controllers that have fewer.
func (b *Affinities) updateControllers(changed []label) {
	for _, at := range changed {
		key := controllerKey(at.key, at.value)
		known := b.controllers[key]
		switch many := b.owned[key] >= 2; {
		case many && known == nil:
			b.addController(key, at)
		case !many && known != nil:
			b.dropController(key, known)
		}
	}
}

// addControllers adds controllerPods for all controllers with two pods or more.
func (b *Affinities) addControllers() {
	var all []label
	for key, pods := range b.owned { // order-free: each for itself
		if namespace, owner, _ := strings.Cut(key, "\x00"); pods >= 2 {
			all = append(all, label{namespace, owner})
		}
	}
	b.changed = nil
	b.updateControllers(all)
}

func (b *Affinities) addController(key string, at label) {
	one := []model.PodSelector{{Namespaces: []string{at.key}, Selector: []model.Requirement{{Key: ownerKey, Op: model.In, Values: []string{at.value}}}}}
	y := &controllerPods{host: b.domainCount(one, model.HostnameKey, nil, Members, ledger.NoTask), zone: b.domainCount(one, zoneKey, nil, Members, ledger.NoTask)}
	y.host.refs++
	y.zone.refs++
	y.selector = y.host.selector
	b.lastID++
	y.id = b.lastID
	b.controllers[key], b.controllerByID[y.id] = y, y
	for _, h := range y.selector.pods {
		h.controller = y
	}
	b.recast = append(b.recast, y.selector.pods...)
	b.shape++
}

func (b *Affinities) dropController(key string, y *controllerPods) {
	for _, h := range y.selector.pods {
		h.controller = nil
	}
	b.recast = append(b.recast, y.selector.pods...)
	y.host.refs--
	y.zone.refs--
	delete(b.controllers, key)
	delete(b.controllerByID, y.id)
	b.dropped = true
	b.shape++
}

// asksSpread says that a pod has topology spread constraints of its own: then it gets no default ones.
func asksSpread(s *model.Spec) bool { return s.Neighbours != nil && len(s.Neighbours.Spread) > 0 }
