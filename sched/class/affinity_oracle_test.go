package class

import (
	"slices"
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// This file is the slow oracle of affinity between pods and of topology spread. It follows what the Kubernetes API says
// of each field, and asks every pod and every node, each time. It uses neither counts nor classes.

// placedPod is a pod on its node.
type placedPod struct {
	pod  *model.Pod
	node *model.Node
	how  ledger.Hold
}

func (w *oracle) placedPods() (out []placedPod) {
	w.l.Tasks.Each(func(t ledger.TaskID) bool {
		if row := w.l.Task(t); row.Node != ledger.NoNode && w.l.Node(row.Node).Present() {
			out = append(out, placedPod{row.Pod, w.l.Node(row.Node).Fact, row.Hold()})
		}
		return true
	})
	return out
}

// selects says that a selector matches a pod.
func (w *oracle) selects(p *model.Pod, c *model.PodSelector) bool {
	if c.MatchesNothing || !match.Selects(c.Selector, p.Labels) {
		return false
	}
	labels := []model.Label{{Key: model.NamespaceNameLabel, Value: p.Namespace}}
	if n := w.l.Namespaces.Get(p.Namespace); n != nil {
		labels = n.Labels
	}
	return slices.Contains(c.Namespaces, p.Namespace) || c.ByLabels && match.Selects(c.InSuch, labels)
}

// selectsAll says that all terms of a required affinity match a pod.
func (w *oracle) selectsAll(p *model.Pod, with []model.Near) bool {
	for i := range with {
		if !w.selects(p, &with[i].Pods) {
			return false
		}
	}
	return true
}

// sameDomain says that two nodes are in one domain of a key.
func sameDomain(a, b *model.Node, key string) bool {
	x, has := model.LabelValue(a.Labels, key)
	y, too := model.LabelValue(b.Labels, key)
	return has && too && x == y
}

// domainsAdmit says that affinity, anti-affinity and spread let a pod onto a node.
func (w *oracle) domainsAdmit(t ledger.TaskID, n ledger.NodeID, future bool) bool {
	pod, node, all := w.l.Task(t).Pod, w.l.Node(n).Fact, w.placedPods()
	asks := pod.Spec.Neighbours
	if asks == nil {
		asks = &model.Neighbours{}
	}
	there := func(s placedPod) bool { return s.how == ledger.Firm || s.how == ledger.Leaving && !future }
	return w.affinityHolds(pod, node, all, asks, future, there) && w.antiAffinityHolds(pod, node, all, asks, there) &&
		w.spreadHolds(pod, node, all, asks, future)
}

// affinityHolds is required affinity.
func (w *oracle) affinityHolds(pod *model.Pod, node *model.Node, all []placedPod, asks *model.Neighbours, future bool,
	there func(placedPod) bool) bool {
	if len(asks.With) == 0 {
		return true
	}
	anyone, promised := false, false // whether a matching pod is on a node with the label, or is pipelined
	for i := range asks.With {
		if _, has := model.LabelValue(node.Labels, asks.With[i].Key); !has {
			return false
		}
		for _, s := range all {
			if _, has := model.LabelValue(s.node.Labels, asks.With[i].Key); has && w.selectsAll(s.pod, asks.With) {
				anyone = anyone || there(s)
				promised = promised || s.how == ledger.Pipelined
			}
		}
	}
	near := func(key string, counts func(placedPod) bool) bool {
		return slices.ContainsFunc(all, func(s placedPod) bool {
			return counts(s) && sameDomain(s.node, node, key) && w.selectsAll(s.pod, asks.With)
		})
	}
	for i := range asks.With {
		key := asks.With[i].Key
		waits := near(key, func(s placedPod) bool { return s.how == ledger.Pipelined })
		first := w.selectsAll(pod, asks.With) && !anyone && (!promised || waits)
		if !near(key, there) && !(future && waits) && !first {
			return false
		}
	}
	return true
}

// antiAffinityHolds is required anti-affinity, in both directions.
func (w *oracle) antiAffinityHolds(pod *model.Pod, node *model.Node, all []placedPod, asks *model.Neighbours,
	there func(placedPod) bool) bool {
	for _, s := range all {
		if !there(s) && s.how != ledger.Pipelined {
			continue
		}
		for i := range asks.Apart {
			if sameDomain(s.node, node, asks.Apart[i].Key) && w.selects(s.pod, &asks.Apart[i].Pods) {
				return false
			}
		}
		if s.pod.Spec.Neighbours == nil {
			continue
		}
		for i := range s.pod.Spec.Neighbours.Apart {
			a := &s.pod.Spec.Neighbours.Apart[i]
			if sameDomain(s.node, node, a.Key) && w.selects(pod, &a.Pods) {
				return false
			}
		}
	}
	return true
}

// spreadHolds is topology spread with DoNotSchedule. It has to hold with the pods that are pipelined and, for a
// task that starts now, without them.
func (w *oracle) spreadHolds(pod *model.Pod, node *model.Node, all []placedPod, asks *model.Neighbours,
	future bool) bool {
	for i := range asks.Spread {
		c := &asks.Spread[i]
		if c.Soft {
			continue
		}
		if _, has := model.LabelValue(node.Labels, c.Key); !has {
			return false
		}
		if w.exceedsSkew(pod, node, all, c, true) || !future && w.exceedsSkew(pod, node, all, c, false) {
			return false
		}
	}
	return true
}

func (w *oracle) exceedsSkew(pod *model.Pod, node *model.Node, all []placedPod, c *model.Spread, promised bool) bool {
	counts := map[string]int64{}
	for _, n := range w.nodes() {
		if fact := w.l.Node(n).Fact; counted(pod, fact, c) {
			v, _ := model.LabelValue(fact.Labels, c.Key)
			counts[v] += 0
		}
	}
	for _, s := range all {
		if counted(pod, s.node, c) && w.selects(s.pod, &c.Pods) &&
			(s.how == ledger.Firm || s.how == ledger.Pipelined && promised) {
			v, _ := model.LabelValue(s.node.Labels, c.Key)
			counts[v]++
		}
	}
	if len(counts) == 0 {
		return false
	}
	least := int64(1 << 60)
	for _, x := range counts {
		least = min(least, x)
	}
	if len(counts) < int(max(1, c.MinDomains)) {
		least = 0
	}
	v, _ := model.LabelValue(node.Labels, c.Key)
	have := counts[v]
	if w.selects(pod, &c.Pods) {
		have++
	}
	return have-least > int64(c.MaxSkew)
}

// counted says that a node counts for a spread constraint of a pod.
func counted(pod *model.Pod, n *model.Node, c *model.Spread) bool {
	s := pod.Spec
	for _, o := range s.Neighbours.Spread {
		if _, has := model.LabelValue(n.Labels, o.Key); o.Soft == c.Soft && !has {
			return false
		}
	}
	if !c.Everywhere && (!match.Labels(s.Selector, n) || s.Affinity != nil && !match.Any(s.Affinity, n)) {
		return false
	}
	return !c.Untainted || !slices.ContainsFunc(n.Taints, func(t model.Taint) bool {
		return t.Effect != model.PreferNoSchedule && !match.Tolerated(s.Tolerations, t)
	})
}

// addPreferences adds to the scores of nodes what preferred terms of the pod and of other pods give them, with weight
// 2.
func (w *oracle) addPreferences(t ledger.TaskID, nodes []ledger.NodeID, scores []int64) {
	pod, all := w.l.Task(t).Pod, w.placedPods()
	raw := make([]int64, len(nodes))
	for i, n := range nodes {
		node := w.l.Node(n).Fact
		for _, s := range all {
			if own := pod.Spec.Neighbours; own != nil {
				raw[i] += w.preferredWeight(own.Prefer, s.pod, s.node, node)
			}
			if theirs := s.pod.Spec.Neighbours; theirs != nil {
				raw[i] += w.preferredWeight(theirs.Prefer, pod, s.node, node)
			}
		}
	}
	if len(nodes) == 0 || slices.Max(raw) == slices.Min(raw) {
		return
	}
	for i := range raw {
		scores[i] += (raw[i] - slices.Min(raw)) * policy.MaxNodeScore / (slices.Max(raw) - slices.Min(raw)) * 2
	}
}

func (w *oracle) preferredWeight(prefer []model.Near, p *model.Pod, a, b *model.Node) (sum int64) {
	for i := range prefer {
		if sameDomain(a, b, prefer[i].Key) && w.selects(p, &prefer[i].Pods) {
			sum += int64(prefer[i].Weight)
		}
	}
	return sum
}

// logs are natural logarithms of whole numbers in units of 1/65536, with the last digits rounded down as nodeorder
// does.
var logs = map[int]int64{2: 45426, 3: 71998, 4: 90852, 5: 105475, 6: 117424, 7: 127526, 8: 136278, 9: 143996,
	10: 150901, 11: 157147}

// addSpread adds to the scores of nodes what spread constraints with ScheduleAnyway give them, with weight 2.
func (w *oracle) addSpread(t ledger.TaskID, nodes []ledger.NodeID, scores []int64) {
	pod := w.l.Task(t).Pod
	if w.spreadTogether(pod) >= 2 {
		w.addDefaultSpread(pod, nodes, scores)
		return
	}
	if pod.Spec.Neighbours == nil {
		return
	}
	sums := map[int]int64{}
	any := false
	for i, n := range nodes {
		sum, ok := int64(0), true
		for k := range pod.Spec.Neighbours.Spread {
			if c := &pod.Spec.Neighbours.Spread[k]; c.Soft {
				_, has := model.LabelValue(w.l.Node(n).Fact.Labels, c.Key)
				ok, any = ok && has, true
				sum += w.spreadSum(pod, w.l.Node(n).Fact, c, nodes)
			}
		}
		if ok {
			sums[i] = sum
		}
	}
	most, least := int64(0), int64(1<<60)
	for _, s := range sums {
		most, least = max(most, s), min(least, s)
	}
	for i, s := range sums {
		switch {
		case !any:
		case most == 0:
			scores[i] += 2 * policy.MaxNodeScore
		default:
			scores[i] += (most + least - s) * policy.MaxNodeScore / most * 2
		}
	}
}

// spreadTogether counts the pods that are spread with a pod by default, itself included. Where only Services select the
// pod, it counts the pods of the Service that selects fewest. 0: the pod is not spread.
func (w *oracle) spreadTogether(pod *model.Pod) (count int) {
	if pod.Spec.Neighbours != nil && len(pod.Spec.Neighbours.Spread) > 0 {
		return 0
	}
	number := func(is func(*model.Pod) bool) (n int) {
		w.l.Tasks.Each(func(t ledger.TaskID) bool {
			if o := w.l.Task(t).Pod; o.Namespace == pod.Namespace && is(o) {
				n++
			}
			return true
		})
		return n
	}
	if owned(pod) {
		return number(func(o *model.Pod) bool { return o.OwnerID == pod.OwnerID })
	}
	for i, s := range w.servicesOf(pod) {
		if n := number(func(o *model.Pod) bool { return selectedBy(s, o) }); i == 0 || n < count {
			count = n
		}
	}
	return count
}

func owned(pod *model.Pod) bool { return strings.Contains(pod.OwnerID, "Set.apps/") }

func selectedBy(s *model.Service, pod *model.Pod) bool {
	for _, l := range s.Selector {
		if !slices.Contains(pod.Labels, l) {
			return false
		}
	}
	return len(s.Selector) > 0
}

// servicesOf returns the Services that select a pod.
func (w *oracle) servicesOf(pod *model.Pod) (out []*model.Service) {
	for _, f := range w.l.Facts() {
		if s, is := f.Object.(*model.Service); is && s.Namespace == pod.Namespace && selectedBy(s, pod) {
			out = append(out, s)
		}
	}
	return out
}

// spreadWith says that other counts where pod is spread by default.
func (w *oracle) spreadWith(services []*model.Service, pod, other *model.Pod) bool {
	return other.Namespace == pod.Namespace && (!owned(pod) || other.OwnerID == pod.OwnerID) &&
		!slices.ContainsFunc(services, func(s *model.Service) bool { return !selectedBy(s, other) })
}

// addDefaultSpread is addSpread for the constraints that pods have by default.
func (w *oracle) addDefaultSpread(pod *model.Pod, nodes []ledger.NodeID, scores []int64) {
	const zone = "topology.kubernetes.io/zone"
	value := func(n *model.Node, key string) string { v, _ := model.LabelValue(n.Labels, key); return v }
	zones, services := map[string]bool{}, w.servicesOf(pod)
	for _, n := range nodes {
		zones[value(w.l.Node(n).Fact, zone)] = true
	}
	var sums []int64
	for _, n := range nodes {
		node, sum := w.l.Node(n).Fact, int64(0)
		for _, s := range w.placedPods() {
			if s.how == ledger.Leaving || !w.spreadWith(services, pod, s.pod) {
				continue
			}
			if sameDomain(s.node, node, model.HostnameKey) {
				sum += logs[len(nodes)+2]
			}
			if sameDomain(s.node, node, zone) {
				sum += logs[len(zones)+2]
			}
		}
		if value(node, model.HostnameKey) != "" {
			sum += 2 << 16
		}
		if value(node, zone) != "" {
			sum += 4 << 16
		}
		sums = append(sums, sum)
	}
	for i, s := range sums {
		if most := slices.Max(sums); most > 0 {
			scores[i] += (most + slices.Min(sums) - s) * policy.MaxNodeScore / most * 2
		} else {
			scores[i] += 2 * policy.MaxNodeScore
		}
	}
}

// spreadSum is what one constraint adds to the sum of a node.
func (w *oracle) spreadSum(pod *model.Pod, node *model.Node, c *model.Spread, nodes []ledger.NodeID) int64 {
	values := map[string]bool{}
	for _, n := range nodes {
		all := true
		for _, o := range pod.Spec.Neighbours.Spread {
			_, has := model.LabelValue(w.l.Node(n).Fact.Labels, o.Key)
			all = all && (has || !o.Soft)
		}
		if v, has := model.LabelValue(w.l.Node(n).Fact.Labels, c.Key); has && all {
			values[v] = true
		}
	}
	there := int64(0)
	for _, s := range w.placedPods() {
		if s.how != ledger.Leaving && counted(pod, s.node, c) && sameDomain(s.node, node, c.Key) &&
			w.selects(s.pod, &c.Pods) {
			there++
		}
	}
	return there*logs[len(values)+2] + int64(c.MaxSkew-1)<<16
}
