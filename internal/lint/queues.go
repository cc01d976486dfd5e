package lint

import (
	"slices"
	"strings"

	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/explain"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// queues compares what queues are guaranteed and deserve with what is there.
func (l *look) queues() {
	byName := map[string]*model.Queue{}
	for i := range l.World.Items {
		if q, is := l.World.Items[i].Fact.Object.(*model.Queue); is {
			byName[q.Name] = q
		}
	}
	names := make([]string, 0, len(byName))
	for name := range byName { // order-free: sorted below
		names = append(names, name)
	}
	slices.Sort(names)
	children := map[string][]*model.Queue{}
	for _, name := range names {
		q := byName[name]
		if name != model.RootQueue {
			up := parent(q)
			children[up] = append(children[up], q)
		}
		l.readBy(q)
		l.bounded(q, byName)
	}
	for _, up := range append(names, model.RootQueue) {
		if below := children[up]; len(below) > 0 {
			l.sums(up, byName[up], below)
			delete(children, up)
		}
	}
}

func parent(q *model.Queue) string {
	if q.Parent == "" {
		return model.RootQueue
	}
	return q.Parent
}

// sums compares a queue, or the nodes for the root, with the sums of its children.
func (l *look) sums(up string, q *model.Queue, below []*model.Queue) {
	whose, object := "queue "+up, "Queue/"+up
	guarantee, deserved := resource.List(nil), resource.List(nil)
	if q != nil {
		guarantee, deserved = q.Guarantee, q.Deserved
	}
	if up == model.RootQueue {
		whose, object = "the cluster", "Queue/"+below[0].Name
		nodes := l.nodes()
		if guarantee == nil {
			guarantee = nodes
		}
		if deserved == nil {
			deserved = nodes
		}
		if l.kinds[model.KindNode] == 0 && q == nil {
			return
		}
	}
	at := l.at(model.KindQueue, "", strings.TrimPrefix(object, "Queue/"))
	for _, name := range dims(below, func(q *model.Queue) resource.List { return q.Guarantee }) {
		have, known := guarantee.Get(name)
		if sum := total(below, name, func(q *model.Queue) resource.List { return q.Guarantee }); sum > have &&
			(known || up != model.RootQueue) {
			l.out.add("queue-guarantee", object, at, "%s are guaranteed %s %s together, and %s has %s",
				those(below), explain.Quantity(name, sum), name, whose, explain.Quantity(name, have))
		}
	}
	for _, name := range dims(below, func(q *model.Queue) resource.List { return q.Deserved }) {
		have, known := deserved.Get(name)
		sum := total(below, name, func(q *model.Queue) resource.List { return q.Deserved })
		if known && have > 0 && sum > have {
			l.out.add("queue-deserved", object, at, "%s deserve %s %s together, and %s has %s: they cannot all have theirs",
				those(below), explain.Quantity(name, sum), name, whose, explain.Quantity(name, have))
		}
	}
}

// nodes is what all nodes offer.
func (l *look) nodes() (out resource.List) {
	sums := map[string]int64{}
	for i := range l.World.Items {
		n, is := l.World.Items[i].Fact.Object.(*model.Node)
		if !is {
			continue
		}
		for _, a := range n.Allocatable {
			sums[a.Name] = plus(sums[a.Name], a.Value)
		}
	}
	for name, sum := range sums { // order-free: normalized below
		out = append(out, resource.Amount{Name: name, Value: sum})
	}
	return resource.Normalize(out)
}

// bounded compares a queue's capability with that of the nearest queue above it that has one, and its deserved amounts
// with its own.
func (l *look) bounded(q *model.Queue, byName map[string]*model.Queue) {
	object, at := "Queue/"+q.Name, l.at(model.KindQueue, "", q.Name)
	for _, own := range q.Capability {
		if own.Name == resource.PodsName {
			continue
		}
		seen := map[string]bool{q.Name: true}
		for up := byName[parent(q)]; up != nil && !seen[up.Name]; up = byName[parent(up)] {
			seen[up.Name] = true
			above, limited := up.Capability.Get(own.Name)
			if limited && own.Value > above {
				l.out.add("queue-capability", object, at, "spec.capability.%s is %s, and queue %s above it may hold %s", own.Name,
					explain.Quantity(own.Name, own.Value), up.Name, explain.Quantity(own.Name, above))
			}
			if limited {
				break
			}
		}
		if deserved, _ := q.Deserved.Get(own.Name); deserved > own.Value {
			l.out.add("queue-deserved", object, at, "spec.deserved.%s is %s, and the queue may hold %s", own.Name,
				explain.Quantity(own.Name, deserved), explain.Quantity(own.Name, own.Value))
		}
	}
}

// readBy tells of fields that no configured plugin reads.
func (l *look) readBy(q *model.Queue) {
	if l.Chosen == nil {
		return
	}
	for _, text := range profile.Unheeded(l.Chosen, q) {
		l.out.add("queue-no-effect", "Queue/"+q.Name, l.at(model.KindQueue, "", q.Name), "%s", text)
	}
}

// dims are the resources of some amounts of queues, without places for pods.
func dims(queues []*model.Queue, of func(*model.Queue) resource.List) (out []string) {
	for _, q := range queues {
		for _, a := range of(q) {
			if a.Value > 0 && a.Name != resource.PodsName && !slices.Contains(out, a.Name) {
				out = append(out, a.Name)
			}
		}
	}
	slices.Sort(out)
	return out
}

func total(queues []*model.Queue, name string, of func(*model.Queue) resource.List) (sum int64) {
	for _, q := range queues {
		x, _ := of(q).Get(name)
		sum = plus(sum, x)
	}
	return sum
}

// plus adds amounts that are not negative, up to the most that there is.
func plus(a, b int64) int64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return 1<<63 - 1
}

// those names queues, the first few of them.
func those(queues []*model.Queue) string {
	const most = 4
	var names []string
	for _, q := range queues[:min(len(queues), most)] {
		names = append(names, q.Name)
	}
	text := "queue " + names[0]
	if len(names) > 1 {
		text = "queues " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	}
	if len(queues) > most {
		text = "queues " + strings.Join(names, ", ") + " and others"
	}
	return text
}
