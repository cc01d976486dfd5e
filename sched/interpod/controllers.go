package interpod

import (
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// controllerCounts counts the pods that are spread by default by domain. They belong together by their controller and
// by the Services that select them.
type controllerCounts struct {
	b *Affinities

	even    bool           // see Even
	owned   map[string]int // pods by controller, of the kinds in spreading
	changed []label        // controllers, by namespace, that got their second pod or lost it
	byKey   map[string]*spreadGroup
	byID    map[int64]*spreadGroup // by id
	dropped bool                   // a spreadGroup or a Service was dropped since the last dropUnused
}

// spreadGroup is what the pods of one controller that have the same labels of Services share: the default constraints.
// They are about the pods of that controller with these labels; without a controller about all pods with these labels.
type spreadGroup struct {
	key  string
	id   int64
	refs int // labelledPods in it
	host *DomainCount
	zone *DomainCount
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

// spreading lists the kinds of controllers that have their pods spread by default, as OwnerID begins. It has Deployment
// for pods with a chain of owners that is known up to the Deployment.
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

// Even turns on default spreading: pods of one ReplicaSet, StatefulSet, Deployment or ReplicationController, and pods
// that the same Services select, get the default constraints if they have no topology spread constraint of their own.
func (b *Affinities) Even() {
	if b.controllers.even {
		return
	}
	b.controllers.even, b.controllers.owned = true, map[string]int{}
	for _, f := range b.l.Facts() {
		if f.Ref.Kind == model.KindService {
			b.services.fact(f)
		}
	}
	b.l.Tasks.Each(func(t ledger.TaskID) bool {
		b.controllers.count(b.l.Task(t).Pod, 1)
		return true
	})
	b.live, b.stale = true, true // from now on the pods that are there are told apart by their controllers, too
}

// count counts a pod of a controller of a kind in spreading. The second pod of a controller starts the counting.
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

// regroup finds anew the groups of the pods that had a change of their controller or Services.
func (cc *controllerCounts) regroup() {
	services := &cc.b.services
	for _, at := range cc.changed {
		for _, h := range cc.b.selectors.labelledBy[label{ownerKey, at.value}] {
			if h.namespace == at.key {
				services.markStale(h)
			}
		}
	}
	cc.changed = nil
	for i := 0; i < len(services.staleGroups); i++ { // it grows: a Service that gets its second pod makes the first stale
		services.find(services.staleGroups[i])
	}
	services.sweep()
	for _, h := range services.staleGroups {
		h.staleGroup = false
		cc.join(h, cc.keyOf(h))
	}
	services.staleGroups = services.staleGroups[:0]
}

// keyOf returns the key of the group that pods belong in, "" of none: they have no controller of such a kind and no
// Service, or there is only one of them.
func (cc *controllerCounts) keyOf(h *labelledPods) string {
	if h.owner != "" {
		if cc.owned[controllerKey(h.namespace, h.owner)] < 2 {
			return ""
		}
	} else if !several(h.services) {
		return ""
	}
	var w model.Form
	w.Text(h.namespace, h.owner)
	w.Labels(joined(h.services))
	return w.String()
}

// join puts pods into the group of a key, a new one if there is none, and takes them out of the one they were in.
func (cc *controllerCounts) join(h *labelledPods, key string) {
	was := h.group
	if was == nil && key == "" || was != nil && was.key == key {
		return
	}
	h.group = nil
	if key != "" {
		h.group = cc.byKey[key]
		if h.group == nil {
			h.group = cc.add(key, h)
		}
		h.group.refs++
	}
	if was != nil {
		if was.refs--; was.refs == 0 {
			cc.drop(was)
		}
	}
	if len(h.members) > 0 {
		cc.b.recast = append(cc.b.recast, h)
	}
}

func (cc *controllerCounts) add(key string, h *labelledPods) *spreadGroup {
	about := model.PodSelector{Namespaces: []string{h.namespace}}
	if h.owner != "" {
		about.Selector = append(about.Selector, model.Requirement{Key: ownerKey, Op: model.In, Values: []string{h.owner}})
	}
	for _, l := range joined(h.services) {
		about.Selector = append(about.Selector, model.Requirement{Key: l.Key, Op: model.In, Values: []string{l.Value}})
	}
	one := []model.PodSelector{about}
	y := &spreadGroup{key: key, host: cc.b.domainCount(one, model.HostnameKey, nil, Members, ledger.NoTask),
		zone: cc.b.domainCount(one, zoneKey, nil, Members, ledger.NoTask)}
	y.host.refs++
	y.zone.refs++
	cc.b.lastID++
	y.id = cc.b.lastID
	cc.byKey[key], cc.byID[y.id] = y, y
	cc.b.shape++
	return y
}

func (cc *controllerCounts) drop(y *spreadGroup) {
	y.host.refs--
	y.zone.refs--
	delete(cc.byKey, y.key)
	delete(cc.byID, y.id)
	cc.dropped = true
	cc.b.shape++
}

// asksSpread says that a pod has topology spread constraints of its own: then it gets no default ones.
func asksSpread(s *model.Spec) bool { return s.Neighbours != nil && len(s.Neighbours.Spread) > 0 }
