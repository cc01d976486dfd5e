package recording

import (
	"errors"
	"io"
	"reflect"
	"slices"
	"time"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Workload is what came to a scheduler from outside while it was recorded, for a simulation in which it is decided
// otherwise. What followed from the scheduler's own decisions is left out: the simulation has consequences of its own.
//
// A pod that ended by itself runs for as long as it did. What was deleted by others is deleted at the same time. The
// pod that stands for one that was evicted, or deleted and replaced, is the same item.
type Workload struct {
	Items   []sim.Item
	Begin   int64         // nanoseconds since the epoch
	Lasts   time.Duration // what comes after it is not known
	Endless int           // pods that had a node and had not ended by then: they run for ever
	Remade  bool          // the configuration changed meanwhile
}

// WorkloadOf reads what is left of a recording.
func WorkloadOf(r *Reader) (*Workload, error) {
	w := &worker{Workload: Workload{Begin: r.Base.Now}, lives: map[string]*lived{}, last: map[model.Ref]model.Object{},
		vacant: map[string][]*lived{}, ended: map[string]bool{}, stopped: map[string]bool{}, evicted: map[string]bool{}}
	w.take(r.Base.Facts, 0)
	var before []model.Fact
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		w.Remade = w.Remade || s.Remade != nil
		if before = append(before, s.Facts...); s.Cycle == nil {
			continue // the time of facts is that of the cycle that saw them
		}
		w.Lasts = max(w.Lasts, time.Duration(s.Cycle.Now-w.Begin))
		w.take(before, w.Lasts)
		before = before[:0]
		for _, i := range s.Cycle.Items {
			if i.Kind == sched.EvictPod {
				w.evicted[i.UID] = true
			}
		}
	}
	w.take(before, w.Lasts)
	return w.end(), nil
}

// Items are the facts of one moment, as a simulation begins with them. Pauses after bindings that were refused are left
// out: they are the scheduler's own.
func Items(facts []model.Fact) []sim.Item {
	out := make([]sim.Item, 0, len(facts))
	for _, f := range facts {
		if f.Ref.Kind != model.KindBackoff {
			p, is := f.Object.(*model.Pod)
			out = append(out, sim.Item{Fact: f, Owned: is && owned(p)})
		}
	}
	return out
}

// worker makes a Workload.
type worker struct {
	Workload
	lives   map[string]*lived          // by the UID of a pod
	last    map[model.Ref]model.Object // of objects that are there, but pods
	vacant  map[string][]*lived        // by job and owner: pods that went and may be replaced
	gone    []leaving
	evicted map[string]bool // UIDs of pods that the scheduler evicted
	ended   map[string]bool // jobs with a pod that ended by itself
	stopped map[string]bool // jobs with a pod that was deleted before that
}

// lived is a pod, with those that replaced it.
type lived struct {
	items []int // its places in Items
	pod   *model.Pod
	began time.Duration // when it ran, or was bound; below 0: it has no node, or has ended
	runs  bool
	going int // its place in gone, below 0: it has none
}

// leaving is an object that others deleted.
type leaving struct {
	ref      model.Ref
	at       time.Duration
	job      string // of a PodGroup
	replaced bool   // of a pod: a controller made another one
	pod      bool
}

func (w *worker) take(facts []model.Fact, at time.Duration) {
	for _, f := range facts {
		switch f.Ref.Kind {
		case model.KindBackoff: // of the scheduler's own
		case model.KindPod:
			if f.Object == nil {
				w.podGone(f, at)
			} else if p, is := f.Object.(*model.Pod); is {
				w.pod(f, p, at)
			}
		default:
			w.object(f, at)
		}
	}
}

// add adds an object that came.
func (w *worker) add(f model.Fact, at time.Duration) *sim.Item {
	w.Items = append(w.Items, sim.Item{Fact: f, SubmitAt: at})
	return &w.Items[len(w.Items)-1]
}

// standby is where a pod waits for the one that replaces it: its owner makes that, in the same job.
func standby(p *model.Pod) string { return ledger.KeyOf(p).String() + " " + p.OwnerID }

// owned says that a controller makes the pod again where it is evicted or deleted.
func owned(p *model.Pod) bool { return p.OwnerID != "" || p.Owner != "" || p.Group != "" }

func (w *worker) pod(f model.Fact, p *model.Pod, at time.Duration) {
	l := w.lives[f.UID]
	switch {
	case l == nil && !p.Ours && p.Node == "":
		return // another scheduler places it
	case l == nil:
		l = w.came(f, p, at)
	case l.pod.Gated && !p.Gated && l.pod.QueueGate == model.NoQueueGate: // somebody let it go
		l.items = append(l.items, len(w.Items))
		w.add(f, at).Owned = owned(p)
	}
	if l.pod == nil || !l.pod.Phase.Finished() {
		w.goesOn(l, p, at)
	}
	l.pod = p
}

// goesOn follows a pod from its node to its end.
func (w *worker) goesOn(l *lived, p *model.Pod, at time.Duration) {
	if p.Node != "" && l.began < 0 {
		l.began = at
	}
	if p.Phase == model.PodRunning && !l.runs {
		l.began, l.runs = at, true
	}
	if !p.Phase.Finished() || l.began < 0 {
		return
	}
	for _, i := range l.items {
		w.Items[i].Duration, w.Items[i].HasDuration = at-l.began, true
	}
	w.ended[ledger.KeyOf(p).String()] = true
	l.began = -1
}

// came is a pod that is new, or that replaces one that went.
func (w *worker) came(f model.Fact, p *model.Pod, at time.Duration) *lived {
	where := standby(p)
	var l *lived
	if free := w.vacant[where]; at > 0 && p.Node == "" && len(free) > 0 {
		i := max(0, slices.IndexFunc(free, func(o *lived) bool { return o.pod.Name == p.Name }))
		l = free[i]
		w.vacant[where] = slices.Delete(free, i, i+1)
		if l.going >= 0 {
			w.gone[l.going].replaced = true
		}
		l.pod, l.going, l.began, l.runs = nil, -1, -1, false
	} else {
		l = &lived{items: []int{len(w.Items)}, began: -1, going: -1}
		w.add(f, at).Owned = owned(p)
	}
	w.lives[f.UID] = l
	return l
}

func (w *worker) podGone(f model.Fact, at time.Duration) {
	l := w.lives[f.UID]
	if l == nil || l.pod == nil || l.pod.UID != f.UID {
		return
	}
	delete(w.lives, f.UID)
	if l.pod.Phase.Finished() {
		return // it holds nothing, and may end later in the simulation
	}
	if !w.evicted[f.UID] {
		l.going = len(w.gone)
		w.gone = append(w.gone, leaving{ref: f.Ref, at: at, pod: true})
		w.stopped[ledger.KeyOf(l.pod).String()] = true
	}
	if owned(l.pod) {
		where := standby(l.pod)
		w.vacant[where] = append(w.vacant[where], l)
	}
}

// object takes in what is no pod.
func (w *worker) object(f model.Fact, at time.Duration) {
	was := w.last[f.Ref]
	if f.Object == nil {
		if delete(w.last, f.Ref); was != nil && !isConsequence(f.Ref.Kind) {
			w.gone = append(w.gone, leaving{ref: f.Ref, at: at, job: jobOf(f.Ref)})
		}
		return
	}
	w.last[f.Ref] = f.Object
	changed := was != nil && was.Common().UID == f.Object.Common().UID
	switch {
	case changed && (isConsequence(f.Ref.Kind) || equal(was, f.Object)):
		return
	case !changed && at > 0 && f.Ref.Kind == translate.KindPersistentVolume:
		return // made for a claim of a pod that had got a node
	}
	if g, is := f.Object.(*model.PodGroup); is && changed {
		later := *g
		later.Phase = model.GroupPending // the phase is the simulation's
		f.Object = &later
	}
	w.add(f, at)
}

// jobOf is the job of a PodGroup, "" for other objects.
func jobOf(ref model.Ref) string {
	if ref.Kind != model.KindPodGroup {
		return ""
	}
	return ref.Namespace + "/" + ref.Name
}

// isConsequence says that changes of a kind are consequences of where pods were placed.
func isConsequence(k model.Kind) bool {
	switch k {
	case translate.KindPersistentVolume, translate.KindPersistentVolumeClaim, translate.KindResourceClaim,
		translate.KindVolumeAttachment:
		return true
	}
	return false
}

// equal says that only what a scheduler writes differs.
func equal(a, b model.Object) bool {
	x, is := a.(*model.PodGroup)
	y, too := b.(*model.PodGroup)
	if !is || !too {
		return reflect.DeepEqual(a, b)
	}
	was := *x
	was.Phase = y.Phase
	return reflect.DeepEqual(&was, y)
}

// end adds what others deleted, now that it is known what was replaced and what had ended.
func (w *worker) end() *Workload {
	for _, g := range w.gone {
		if g.job != "" && w.ended[g.job] && !w.stopped[g.job] {
			continue // it was tidied up after its end, which may be later in the simulation
		}
		i := w.add(model.Fact{Ref: g.ref}, g.at)
		i.Final = g.pod && !g.replaced
	}
	for _, l := range w.lives { // order-free: a count
		if l.began >= 0 {
			w.Endless++
		}
	}
	return &w.Workload
}
