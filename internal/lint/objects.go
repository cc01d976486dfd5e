package lint

import (
	"strings"

	"ashlar.sh/internal/manifest"
	"ashlar.sh/sched/model"
)

// objects tells what is wrong with single objects: as they were read, and as they were translated.
func (l *look) objects() {
	for _, p := range l.World.Problems {
		name := "object-problem"
		switch {
		case strings.HasPrefix(p.Message, "unknown field "):
			name = "object-unknown-field"
		case strings.HasPrefix(p.Message, "is given twice: "):
			name = "object-twice"
		}
		l.out.add(name, p.Object, p.Where, "%s", p.Message)
	}
	said := map[string]bool{}
	for i := range l.World.Items {
		it := &l.World.Items[i]
		if it.Fact.Object == nil {
			continue
		}
		ref := it.Fact.Ref.String()
		for _, f := range it.Fact.Object.Common().Faults {
			name := "object-value-replaced"
			switch {
			case f.Fatal:
				name = "object-set-aside"
			case it.Fact.Ref.Kind == model.KindQueue && strings.HasPrefix(f.Field, "spec.guarantee"):
				name = "queue-guarantee"
			}
			l.out.add(name, ref, it.Where, "%s: %s", f.Field, f.Message)
			said[ref+" "+f.Field+": "+f.Message] = true
		}
	}
	if l.Engine == nil {
		return
	}
	for _, p := range l.Engine.Problems() {
		if plugin, of := strings.CutPrefix(p.Object, "plugin/"); of && l.Chosen != nil {
			at, _ := l.Chosen.Plugin(plugin)
			where := manifest.Position{File: l.Chosen.File, Line: at.Line}
			l.out.add("configuration-warning", "", where, "plugin %s: %s", plugin, p.Message)
			continue
		}
		if name, told := l.ofEngine(p.Object, p.Message); told && !said[p.Object+" "+p.Message] {
			l.out.add(name, p.Object, l.named(p.Object), "%s", p.Message)
		}
	}
}

// ofEngine is the rule of what the engine says of an object; false where a look of its own tells it: of sums and
// bounds of queues, of the queues of jobs, and of HyperNodes.
func (l *look) ofEngine(object, message string) (name string, told bool) {
	kind, _, _ := strings.Cut(object, "/")
	field, _, _ := strings.Cut(message, ": ")
	switch model.Kind(kind) {
	case model.KindQueue:
		switch {
		case field == "spec.parent":
			return "queue-parent", true
		case field == "spec.queue", strings.HasPrefix(field, "spec.guarantee"), strings.HasPrefix(field, "spec.deserved"),
			strings.HasPrefix(field, "spec.capability"):
			return "", false
		}
	case model.KindHyperNode:
		return "", false
	case model.KindBooking:
		if strings.HasPrefix(field, "spec.nodes") {
			return "booking-nodes", l.all(model.KindNode)
		}
	case model.KindPodGroup:
		namespace, name, _ := strings.Cut(strings.TrimPrefix(object, kind+"/"), "/")
		if _, there := l.where[model.Ref{Kind: model.KindPodGroup, Namespace: namespace, Name: name}]; !there {
			return "podgroup-missing", l.all(model.KindPodGroup)
		}
		return "podgroup", true
	}
	return "object-problem", true
}

// named is where an object is that is named Kind/namespace/name or Kind/name. A PodGroup that is not there is where its
// first pod is, and what a workload made where that is.
func (l *look) named(object string) manifest.Position {
	kind, name, _ := strings.Cut(object, "/")
	namespace, rest, namespaced := strings.Cut(name, "/")
	if !namespaced {
		namespace, rest = "", name
	}
	ref := model.Ref{Kind: model.Kind(kind), Namespace: namespace, Name: rest}
	if at, known := l.where[ref]; known {
		return at
	}
	return l.made[ref]
}
