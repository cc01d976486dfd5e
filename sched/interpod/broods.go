package interpod

import (
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// brood is the pods of one controller that are to be spread though they do not ask for it:
// two at least.
type brood struct {
	birth int64
	crowd *selector
	host  *DomainCount
	zone  *DomainCount
}

// The constraints that such pods have. Source: kube-scheduler's system defaults.
const (
	zoneKey     = "topology.kubernetes.io/zone"
	hostMaxSkew = 3
	zoneMaxSkew = 5
)

// ownerKey is the label by which the book selects pods of one controller. No label of the
// API is called so.
const ownerKey = ""

// spreading are the kinds whose pods are spread by default, as OwnerID begins. A Deployment
// is there where the chain of owners is known to the top.
var spreading = [...]string{"ReplicaSet.apps/", "StatefulSet.apps/", "Deployment.apps/", "ReplicationController/"}

// spreads says that a pod's controller is one of those.
func spreads(p *model.Pod) bool {
	for _, kind := range spreading {
		if strings.HasPrefix(p.OwnerID, kind) {
			return true
		}
	}
	return false
}

func broodKey(namespace, owner string) string { return namespace + "\x00" + owner }

// Even has the pods of one ReplicaSet, StatefulSet or ReplicationController spread where
// they ask for no spread themselves.
func (b *Affinities) Even() {
	if b.even {
		return
	}
	b.even, b.owned = true, map[string]int{}
	b.l.Tasks(func(t ledger.TaskID) bool {
		b.count(b.l.Task(t).Pod, 1)
		return true
	})
	b.live, b.stale = true, true // those who are there have pods by label set by their owners from now on
}

// count counts a pod of a controller whose pods are spread. The second opens the book.
func (b *Affinities) count(p *model.Pod, x int) {
	if !b.even || !spreads(p) {
		return
	}
	key := broodKey(p.Namespace, p.OwnerID)
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
	b.stirred = append(b.stirred, label{p.Namespace, p.OwnerID})
}

// breed gives those a brood whose controllers have two pods by now, and takes it from those
// that have not any more.
func (b *Affinities) breed(stirred []label) {
	for _, at := range stirred {
		key := broodKey(at.key, at.value)
		known := b.broods[key]
		switch many := b.owned[key] >= 2; {
		case many && known == nil:
			b.found(key, at)
		case !many && known != nil:
			b.dissolve(key, known)
		}
	}
}

// breedAll is breed for all controllers.
func (b *Affinities) breedAll() {
	var all []label
	for key, pods := range b.owned { // order-free: each for itself
		if namespace, owner, _ := strings.Cut(key, "\x00"); pods >= 2 {
			all = append(all, label{namespace, owner})
		}
	}
	b.stirred = nil
	b.breed(all)
}

func (b *Affinities) found(key string, at label) {
	one := []model.PodSelector{{Namespaces: []string{at.key}, Selector: []model.Requirement{{Key: ownerKey, Op: model.In, Values: []string{at.value}}}}}
	y := &brood{host: b.domainCount(one, model.HostnameKey, nil, Members, ledger.NoTask), zone: b.domainCount(one, zoneKey, nil, Members, ledger.NoTask)}
	y.host.refs++
	y.zone.refs++
	y.crowd = y.host.selector
	b.births++
	y.birth = b.births
	b.broods[key], b.broodOf[y.birth] = y, y
	for _, h := range y.crowd.pods {
		h.brood = y
	}
	b.recast = append(b.recast, y.crowd.pods...)
	b.shape++
}

func (b *Affinities) dissolve(key string, y *brood) {
	for _, h := range y.crowd.pods {
		h.brood = nil
	}
	b.recast = append(b.recast, y.crowd.pods...)
	y.host.refs--
	y.zone.refs--
	delete(b.broods, key)
	delete(b.broodOf, y.birth)
	b.thinned = true
	b.shape++
}

// asksSpread says that a pod asks for spread itself: then it has no default.
func asksSpread(s *model.Spec) bool { return s.Neighbours != nil && len(s.Neighbours.Spread) > 0 }
