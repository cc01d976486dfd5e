package sched

import (
	"fmt"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"pgregory.net/rapid"
)

// world plays a cluster: objects that come, change and go as an API server would show
// them, and pods that follow an engine's plans, late, or do something else. It knows
// no engine: it deals out facts and receipts, and is told plans. Names are few, so
// that objects meet, vanish and come back; everything drawn comes from rapid, so a
// failing history shrinks.
type world struct {
	t *rapid.T

	templates [4]int // of groups' pods, mostly
	colocates bool   // the pods of the last group have to share a zone
	version   uint64
	lives     int
	now       int64

	nodes   [5]*model.Node
	budgets [2]*model.Budget
	hypers  [4]*model.HyperNode
	queues  [4]*model.Queue
	groups  [4]*model.PodGroup
	pods    [14]*model.Pod
	ranks   [2]*model.PriorityClass
	items   []Item // what was planned lately, carried out or not
	last    int    // how many of them are of the last plan

	facts    []model.Fact
	receipts []Receipt
}

const second = int64(1_000_000_000)

func newWorld(t *rapid.T) *world {
	w := &world{t: t}
	w.colocates = w.yes()
	return w
}

// n is a number from 0 to most. The steps of a history differ by it, and shrink to 0.
func (w *world) n(most int) int { return rapid.IntRange(0, most).Draw(w.t, "n") }

func (w *world) yes() bool { return rapid.Bool().Draw(w.t, "yes") }

// rarely is true one time in about eight.
func (w *world) rarely() bool { return w.n(7) == 7 }

// begin puts up a cluster in which something can run at once.
func (w *world) begin() {
	for i := range 2 + w.n(2) {
		w.nodes[i] = w.node(i)
		w.tell(model.KindNode, "", w.nodes[i].Name, w.nodes[i].UID, w.nodes[i])
	}
	for i := range 3 {
		w.queues[i] = w.queue(i)
		w.tell(model.KindQueue, "", w.queues[i].Name, w.queues[i].UID, w.queues[i])
	}
	for i := range 3 {
		w.changeGroup(i)
	}
	for i := range 4 + w.n(6) {
		w.changePod(i)
	}
	for i := range w.n(len(w.hypers)) {
		w.changeHyper(i)
	}
	for range w.n(2) {
		w.changeNUMA()
	}
}

// deal makes a few things happen and returns what an engine is told of them.
func (w *world) deal() ([]model.Fact, []Receipt) {
	if w.n(2) > 0 {
		w.comply()
	}
	for range 1 + w.n(4) {
		w.happen()
	}
	w.now += int64(w.n(40)) * second
	facts, receipts := w.facts, w.receipts
	w.facts, w.receipts = nil, nil
	return facts, receipts
}

// learn takes in a plan: its items may be carried out later.
func (w *world) learn(p Plan) {
	w.items, w.last = append(w.items, p.Items...), len(p.Items)
	if n := len(w.items); n > 24 {
		w.items = append([]Item(nil), w.items[n-24:]...)
	}
	w.last = min(w.last, len(w.items))
}

// forget makes the items so far those of an earlier life, for which no receipts come any more; they may still be
// carried out.
func (w *world) forget() {
	for i := range w.items {
		w.items[i].ID = 0
	}
}

func (w *world) happen() {
	switch k := w.n(20); {
	case k <= 4:
		w.changePod(w.n(len(w.pods) - 1))
	case k <= 6:
		w.changeGroup(w.n(len(w.groups) - 1))
	case k == 7:
		w.changeNode(w.n(len(w.nodes) - 1))
	case k == 8:
		w.changeQueue(w.n(len(w.queues) - 1))
	case k == 9:
		w.changeRank(w.n(len(w.ranks) - 1))
	case k <= 12:
		w.carry()
	case k == 17:
		w.changeHyper(w.n(len(w.hypers) - 1))
	case k == 20:
		w.changeBackoff()
	case k == 19:
		w.changeNUMA()
	case k == 18 && w.yes():
		w.changeService()
	case k == 18:
		w.changeNamespace()
	case k == 16:
		w.changeBudget(w.n(len(w.budgets) - 1))
	case k == 15 && w.yes():
		w.changeBooking()
	case k == 13:
		w.answer()
	case k == 14:
		w.regroup(w.n(len(w.pods) - 1))
	default:
		w.progress(w.n(len(w.pods) - 1))
	}
}

func (w *world) tell(kind model.Kind, namespace, name, uid string, o model.Object) {
	w.version++
	w.facts = append(w.facts, model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name},
		UID: uid, Version: w.version, Object: o})
}

// life is a UID that was never used before.
func (w *world) life() string {
	w.lives++
	return fmt.Sprintf("u%d", w.lives)
}

// comply carries the last plan out, to the letter.
func (w *world) comply() {
	for _, i := range w.items[len(w.items)-w.last:] {
		w.show(i, true)
	}
	w.last = 0
}

// carry shows some item of a plan carried out: mostly as planned, at times otherwise.
func (w *world) carry() {
	if len(w.items) == 0 {
		return
	}
	i := w.items[w.n(len(w.items)-1)]
	if i.ID != 0 && w.yes() {
		w.receipts = append(w.receipts, Receipt{Item: i, Outcome: Done})
	}
	w.show(i, false)
}

func (w *world) show(i Item, faithful bool) {
	if i.Kind == SetPhase {
		w.showPhase(i, faithful)
		return
	}
	at := w.podAt(i.Pod)
	p := w.pods[at]
	if p == nil || p.UID != i.UID {
		return
	}
	switch {
	case i.Kind == EvictPod:
		w.leave(at)
	case i.Kind == OpenGate:
		w.edit(at, func(p *model.Pod) { p.Gated, p.QueueGate = false, model.QueueGateOpen })
	case i.Kind == NominatePod && p.Node == "":
		w.edit(at, func(p *model.Pod) { p.Nominated = i.Node })
	case i.Kind == BindPod && p.Node == "" && !p.Deleting:
		w.edit(at, func(p *model.Pod) {
			p.Node = i.Node
			if !faithful && w.rarely() {
				p.Node = w.nodeName()
			}
			if faithful || w.yes() {
				p.Phase = model.PodRunning
			}
		})
	}
}

func (w *world) showPhase(i Item, faithful bool) {
	for at, g := range w.groups {
		if g != nil && g.Name == i.Group.Name && g.UID == i.UID {
			c := *g
			if c.Phase = i.Phase; !faithful && w.rarely() {
				c.Phase = model.GroupPhase(w.n(4))
			}
			w.groups[at] = &c
			w.tell(model.KindPodGroup, "ns", c.Name, c.UID, &c)
		}
	}
}

// answer is a receipt that says no, perhaps of something long done.
func (w *world) answer() {
	if len(w.items) == 0 {
		return
	}
	if i := w.items[w.n(len(w.items)-1)]; i.ID != 0 {
		w.receipts = append(w.receipts, Receipt{Item: i, Outcome: Outcome(w.n(2))})
	}
}

// progress moves a pod along its life.
func (w *world) progress(i int) {
	p := w.pods[i]
	switch {
	case p == nil:
	case p.Node == "" || w.rarely():
		w.leave(i)
	case p.Phase == model.PodPending:
		w.edit(i, func(p *model.Pod) { p.Phase, p.Started, p.Healthy = model.PodRunning, w.now, w.yes() })
	case p.Phase == model.PodRunning:
		w.edit(i, func(p *model.Pod) {
			p.Phase = []model.Phase{model.PodSucceeded, model.PodFailed, model.PodUnknown, model.PodSucceeded}[w.n(3)]
		})
	default:
		w.leave(i)
	}
}

// regroup writes into a pod, running or not, that it is of another PodGroup, of none, or of
// another scheduler, or that its owner is not known.
func (w *world) regroup(i int) {
	if w.pods[i] == nil {
		return
	}
	w.edit(i, func(p *model.Pod) {
		switch w.n(4) {
		case 4:
			p.SetRare(w.recorded(p))
		case 0:
			p.Group = ""
		case 1:
			p.Adopt.Open = !p.Adopt.Open
		case 2:
			p.Ours = !p.Ours
		default:
			p.Group = fmt.Sprintf("g%d", w.n(len(w.groups)-1))
		}
	})
}

// recorded are a pod's times with a record of where it was let run: one that its scheduler would write, or
// that it never would.
func (w *world) recorded(p *model.Pod) model.Times {
	out := p.Rare()
	out.Charge = &model.Charge{Queue: []string{"q0", "q1", "missing", ""}[w.n(3)],
		Job: fmt.Sprintf("g%d", w.n(len(w.groups)-1))}
	if w.rarely() {
		out.Charge.Job, out.Charge.Adopted, out.Charge.Owner = "owner", true, "ReplicaSet.apps/1"
	}
	if w.yes() {
		out.Charge.Had = model.Had{Known: true, Job: int32(w.n(3)), Role: int32(w.n(2)), Sub: int32(w.n(2))}
	}
	return out
}

// leave begins or ends a pod's termination.
func (w *world) leave(i int) {
	if p := w.pods[i]; !p.Deleting && w.yes() {
		w.edit(i, func(p *model.Pod) {
			p.Deleting = true
			times := p.Rare()
			times.GoneBy, times.Charge = w.now+p.Grace, p.Charge()
			p.SetRare(times)
		})
		return
	}
	w.tell(model.KindPod, "ns", w.pods[i].Name, w.pods[i].UID, nil)
	w.pods[i] = nil
}

// edit shows a pod changed.
func (w *world) edit(i int, change func(p *model.Pod)) {
	c := *w.pods[i]
	change(&c)
	w.pods[i] = &c
	w.tell(model.KindPod, "ns", c.Name, c.UID, &c)
}

func (w *world) podAt(k ledger.Key) int {
	for i := range w.pods {
		if podName(i) == k.Name {
			return i
		}
	}
	return 0
}
