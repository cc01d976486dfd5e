package manifest

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// World is a cluster as the input describes it.
type World struct {
	// Items are the facts, sorted by kind, namespace and name.
	Items []Item
	// Configs are the scheduler configurations among the input, in its order.
	Configs []ConfigText
	// Skipped counts by kind the objects that have no part in scheduling.
	Skipped map[string]int
	// Problems are what the author should know, sorted. What is wrong with an object
	// itself is in its fact's Faults, not here.
	Problems []Problem
	// Unmade says that pods of a workload are not among Items, since they are more than are made.
	Unmade bool
}

// Item is one fact and what a simulation needs beside it.
type Item struct {
	Where Position // of the object, or of the workload that made it
	// Fact has version 0, whatever resourceVersion the object had: versions of another
	// cluster say nothing here.
	Fact model.Fact
	// SubmitAt is when the object appears (ashlar.sh/submit-at, decision 35).
	SubmitAt time.Duration
	// Duration is how long a pod runs once it has started (ashlar.sh/duration); without
	// one it runs for ever.
	Duration    time.Duration
	HasDuration bool
	// Owned says of a pod that a workload or a PodGroup owns it: when it is deleted or
	// evicted, another takes its place.
	Owned bool
}

// Config is the only configuration among the input, nil when there is none; more than
// one is an Error.
func (w *World) Config() (*ConfigText, error) {
	switch len(w.Configs) {
	case 0:
		return nil, nil
	case 1:
		return &w.Configs[0], nil
	}
	a, b := w.Configs[0], w.Configs[1]
	return nil, Error{b.Where, fmt.Sprintf(
		"ConfigMap %s has a %s, and so has %s in %s; give one of them, or the flag --scheduler-conf",
		b.Name, ConfigKey, a.Name, a.Where)}
}

// Expand makes a World of a Set: workloads make their pods, later objects replace
// earlier ones of the same name, times are read. Pods of the schedulers named are ours;
// none named means Volcano's.
func (s *Set) Expand(schedulers ...string) *World {
	s.progress.begin("", 0)
	b := &builder{
		world:  &World{Configs: slices.Clone(s.configs), Skipped: maps.Clone(s.skipped)},
		byName: map[identity]*object{}, times: map[identity]times{}, busy: map[identity]bool{},
		classes: map[string]int32{}, left: s.most, leftSpecs: cmp.Or(s.mostSpecs, math.MaxInt64),
	}
	b.options = translate.Options{Schedulers: schedulers, TopOwner: b.topOwner, OwnerSays: b.ownerSays,
		Specs: &translate.Specs{}}
	b.index(s.objects)
	for _, u := range s.unknown {
		b.problem(u.object, "%s", u.message())
	}
	for _, freely := range [...]bool{false, true} {
		for _, o := range b.order {
			if namesFreely(o) == freely {
				b.object(o)
				s.progress.add(0, 1)
			}
		}
	}
	b.locate()
	b.world.sort()
	return b.world
}

func (u *unknown) message() string {
	if u.count == 1 {
		return fmt.Sprintf("unknown field %s is ignored", u.field)
	}
	return fmt.Sprintf("unknown field %s is ignored, here and in %d more %ss", u.field, u.count-1, u.kind)
}

func (w *World) sort() {
	slices.SortFunc(w.Items, func(a, b Item) int {
		x, y := a.Fact.Ref, b.Fact.Ref
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Name, y.Name))
	})
	slices.SortFunc(w.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Message, b.Message))
	})
	w.Problems = slices.Compact(w.Problems)
}

// identity names an object among all kinds.
type identity struct{ group, kind, namespace, name string }

// builder makes a World.
type builder struct {
	world   *World
	options translate.Options
	byName  map[identity]*object
	order   []*object           // what is left of the input, sorted
	times   map[identity]times  // of the objects that others take theirs from
	busy    map[identity]bool   // workloads with pods among the input
	pods    map[model.Ref]bool  // the names that pods have
	classes map[string]int32    // priority classes
	groups  map[identity]string // the PodGroup given for a Volcano Job
	left    int                 // how many pods may still be made

	leftSpecs int64 // bytes of their templates and names
}

func (b *builder) problem(object, format string, args ...any) {
	b.world.Problems = append(b.world.Problems, Problem{Object: object, Message: fmt.Sprintf(format, args...)})
}

// locate says of each problem where its object is.
func (b *builder) locate() {
	places := map[string]Position{}
	for _, p := range b.world.Problems {
		places[p.Object] = Position{}
	}
	if len(places) == 0 {
		return
	}
	for i := range b.world.Items {
		ref := b.world.Items[i].Fact.Ref.String()
		if _, named := places[ref]; named {
			places[ref] = b.world.Items[i].Where
		}
	}
	for _, o := range b.order {
		if _, named := places[o.ref()]; named {
			places[o.ref()] = o.where
		}
	}
	for i := range b.world.Problems {
		if p := &b.world.Problems[i]; p.Where.File == "" {
			p.Where = places[p.Object]
		}
	}
}

// index records the objects of the input before any others are made.
func (b *builder) index(objects []object) {
	for i := range objects {
		o := &objects[i]
		id := o.id
		if old := b.byName[id]; old != nil {
			b.problem(o.ref(), "is given twice: %s replaces %s", o.where, old.where)
			b.world.Problems[len(b.world.Problems)-1].Where = o.where
		}
		b.byName[id] = o
	}
	b.order = slices.SortedFunc(maps.Values(b.byName), func(x, y *object) int {
		a, b := x.id, y.id
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.kind, b.kind),
			cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
	b.pods, b.groups = map[model.Ref]bool{}, map[identity]string{}
	for _, o := range b.order {
		t := b.timesOf(o.ref(), o.GetAnnotations())
		t.estimate = b.estimateOf(o)
		b.times[o.id] = t
		switch obj := o.Object.(type) {
		case *corev1.Pod:
			b.pods[podRef(obj)] = true
			for id := range b.controllers(o) {
				b.busy[id] = true
			}
		case *schedulingv1beta1.PodGroup:
			for id := range b.controllers(o) {
				b.groups[id] = obj.Name
			}
		}
		b.class(o)
	}
}

func podRef(p *corev1.Pod) model.Ref {
	return model.Ref{Kind: model.KindPod, Namespace: p.Namespace, Name: p.Name}
}

// object makes the items of an object.
func (b *builder) object(o *object) {
	submitAt, submits := b.submitAt(o)
	if p, ok := o.Object.(*corev1.Pod); ok {
		if !submits {
			submitAt = b.groupSubmitAt(p)
		}
		b.addPod(o.where, p, submitAt, b.times[o.id])
		return
	}
	if o.made && makesPods(o) || b.workload(o) {
		return
	}
	group, isGroup := o.Object.(*schedulingv1beta1.PodGroup)
	if isGroup {
		group.Annotations = b.sound(o, group.Annotations)
	}
	f, ok := translate.Fact(o.Object, b.options)
	if !ok {
		b.world.Skipped[o.kind.name]++
		return
	}
	if g, ok := f.Object.(*model.PodGroup); ok {
		b.estimated(o, g)
	}
	if c, ok := o.Object.(*resourcev1.ResourceClaim); ok {
		withDefaults(&c.Spec)
	}
	if !isGroup {
		b.reportDuration(o)
	}
	b.add(Item{Where: o.where, Fact: f, SubmitAt: submitAt})
}

func (b *builder) add(it Item) {
	it.Fact.Version = 0
	b.world.Items = append(b.world.Items, it)
}

// sound is an object's annotations without a duration that cannot be meant: it was complained of where it was read.
func (b *builder) sound(o *object, annotations map[string]string) map[string]string {
	if b.times[o.id].lasts {
		return annotations
	}
	return without(annotations, durationKey)
}

// without is annotations less one of them; the map that is given stays as it is.
func without(annotations map[string]string, key string) map[string]string {
	if _, there := annotations[key]; !there {
		return annotations
	}
	annotations = maps.Clone(annotations)
	delete(annotations, key)
	return annotations
}

// addPod adds a pod as a node or the API server would show it: one that has a node and
// no phase is running. A duration that cannot be meant was complained of where it was
// read, once for all pods of a template; the engine does not see it.
func (b *builder) addPod(where Position, p *corev1.Pod, submitAt time.Duration, t times) {
	if !t.lasts {
		p.Annotations = without(p.Annotations, durationKey)
	}
	if p.Status.Phase == "" && p.Spec.NodeName != "" {
		p.Status.Phase = corev1.PodRunning
	}
	b.makeClaims(where, p, submitAt)
	f, _ := translate.Fact(p, b.options)
	pod := f.Object.(*model.Pod)
	b.jobDeadline(p, pod)
	duration, lasts := b.runs(p, t)
	b.add(Item{
		Where: where, Fact: f, SubmitAt: submitAt, Duration: duration, HasDuration: lasts,
		Owned: pod.Group != "" || metav1.GetControllerOfNoCopy(p) != nil,
	})
}
