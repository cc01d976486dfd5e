package interpod

import (
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// controllerCounts counts the pods of controllers by domain, for the default topology spread.
type controllerCounts struct {
	b *Affinities

	even    bool           // see Even
	owned   map[string]int // pods by controller, of kinds whose pods are spread
	changed []label        // controllers, by namespace, that got their second pod or lost it
	byUID   map[string]*controllerPods
	byID    map[int64]*controllerPods // by id
	dropped bool                      // a group of controllerPods was dropped since the last dropUnused
}

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
	if b.controllers.even {
		return
	}
	b.controllers.even, b.controllers.owned = true, map[string]int{}
	b.l.Tasks.Each(func(t ledger.TaskID) bool {
		b.controllers.count(b.l.Task(t).Pod, 1)
		return true
	})
	b.live, b.stale = true, true // from now on the pods that are there are told apart by their controllers, too
}

// count counts a pod of a controller whose pods are spread. The second pod of a controller starts the
// counting.
func (cc *controllerCounts) count(p *model.Pod, x int) {
	if !cc.even || !spreads(p) {
		return
	}
	key := controllerKey(p.Namespace, p.OwnerID)
	was := cc.owned[key]
	if cc.owned[key] = was + x; was+x == 0 {
		delete(cc.owned, key)
	}
	if (was < 2) == (was+x < 2) {
		return
	}
	if !cc.b.live {
		cc.b.live, cc.b.stale = true, true
	}
	cc.changed = append(cc.changed, label{p.Namespace, p.OwnerID})
}

// update adds controllerPods for controllers that have two pods by now, and drops those of
// controllers that have fewer.
func (cc *controllerCounts) update(changed []label) {
	for _, at := range changed {
		key := controllerKey(at.key, at.value)
		known := cc.byUID[key]
		switch many := cc.owned[key] >= 2; {
		case many && known == nil:
			cc.add(key, at)
		case !many && known != nil:
			cc.drop(key, known)
		}
	}
}

// addAll adds controllerPods for all controllers with two pods or more.
func (cc *controllerCounts) addAll() {
	var all []label
	for key, pods := range cc.owned { // order-free: each for itself
		if namespace, owner, _ := strings.Cut(key, "\x00"); pods >= 2 {
			all = append(all, label{namespace, owner})
		}
	}
	cc.changed = nil
	cc.update(all)
}

func (cc *controllerCounts) add(key string, at label) {
	one := []model.PodSelector{{Namespaces: []string{at.key}, Selector: []model.Requirement{{Key: ownerKey, Op: model.In, Values: []string{at.value}}}}}
	y := &controllerPods{host: cc.b.domainCount(one, model.HostnameKey, nil, Members, ledger.NoTask), zone: cc.b.domainCount(one, zoneKey, nil, Members, ledger.NoTask)}
	y.host.refs++
	y.zone.refs++
	y.selector = y.host.selector
	cc.b.lastID++
	y.id = cc.b.lastID
	cc.byUID[key], cc.byID[y.id] = y, y
	for _, h := range y.selector.pods {
		h.controller = y
	}
	cc.b.recast = append(cc.b.recast, y.selector.pods...)
	cc.b.shape++
}

func (cc *controllerCounts) drop(key string, y *controllerPods) {
	for _, h := range y.selector.pods {
		h.controller = nil
	}
	cc.b.recast = append(cc.b.recast, y.selector.pods...)
	y.host.refs--
	y.zone.refs--
	delete(cc.byUID, key)
	delete(cc.byID, y.id)
	cc.dropped = true
	cc.b.shape++
}

// asksSpread says that a pod has topology spread constraints of its own: then it gets no default ones.
func asksSpread(s *model.Spec) bool { return s.Neighbours != nil && len(s.Neighbours.Spread) > 0 }
