package world

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// otherVersions play other versions of the program, which act for a moment when those of this version are killed, and
// leave records that this version writes otherwise: without what came later, with what it does not know, in a newer
// form, or cut in half by an end in the midst of a write.
type otherVersions struct{ w *World }

const otherVersion = "scheduler of another version"

// recordKeys are the annotations of PodGroups that a scheduler writes, and readsBack the pods' condition that it reads.
var recordKeys = []string{"ashlar.sh/refused-binds", "ashlar.sh/start"}

const readsBack = "ashlar.sh/LetRun"

func (v *otherVersions) begin() {
	w := v.w
	w.every(w.Trouble.Versions, func() {
		w.did("a scheduler of another version")
		w.log("another version of the scheduler takes over, and gives back")
		for _, p := range w.procs {
			if w.chance(0.5) || p.name == w.check.holder {
				w.kill(p) // one that stands by may live on, and see it
			}
		}
		v.rewrite()
	})
}

// rewrite writes what there is of records, or most of it, as another version would have.
func (v *otherVersions) rewrite() {
	w := v.w
	for _, g := range w.api.List(w.jobs.groups) {
		if g.Meta().GetNamespace() == userNamespace {
			v.group(g)
		}
	}
	for _, p := range w.api.List(w.jobs.pods) {
		if p.Meta().GetNamespace() == userNamespace && w.chance(0.7) {
			v.pod(p)
		}
	}
	maps := w.check.maps
	if kept := w.api.Get(maps, leaseNamespace, usageObject); kept != nil && w.chance(0.7) {
		is := v.otherwise("a form of what is kept", text(kept.Object, "data", "usage.json"), v.older, v.newer, v.form,
			v.half)
		w.check.usage = keptUsage{} // what it says now is that version's word
		v.do(http.MethodPatch, maps.Path(leaseNamespace, usageObject), map[string]any{"data": map[string]any{
			"usage.json": is}})
	}
}

// group writes the records of a PodGroup, and conditions that this version does not know.
func (v *otherVersions) group(g *apimodel.Stored) {
	w, m, changed := v.w, g.Meta(), map[string]any{}
	for _, key := range recordKeys {
		if is := m.GetAnnotations()[key]; is != "" && w.chance(0.7) {
			changed[key] = v.otherwise("a record of a PodGroup", is, v.older, v.newer, v.half)
		}
	}
	body := map[string]any{}
	if len(changed) > 0 || w.chance(0.3) {
		changed["ashlar.sh/foreseen"] = `{"by":1}`
		body["metadata"] = map[string]any{"annotations": changed}
	}
	if list, _ := asMap(g.Object["status"])["conditions"].([]any); len(list) > 0 && w.chance(0.5) {
		w.did("conditions of another version")
		out := []any{}
		for _, x := range list {
			one := maps.Clone(asMap(x))
			if w.chance(0.5) {
				one["transitionID"], one["reason"], one["message"] = "Foreseen", "Foreseen", "other words"
			}
			out = append(out, one)
		}
		if w.chance(0.5) {
			out = append(out, map[string]any{"type": "Foreseen", "status": "True", "reason": "Foreseen",
				"transitionID": "Foreseen", "lastTransitionTime": "2000-01-01T00:00:00Z"})
		}
		body["status"] = map[string]any{"conditions": out}
	}
	if len(body) > 0 {
		v.do(http.MethodPatch, w.jobs.groups.Path(userNamespace, m.GetName()), body)
	}
}

// pod writes the records in a pod's status.
func (v *otherVersions) pod(p *apimodel.Stored) {
	w := v.w
	list, _ := asMap(p.Object["status"])["conditions"].([]any)
	out, changed := []any{}, false
	for _, x := range list {
		one := maps.Clone(asMap(x))
		switch one["type"] {
		case readsBack:
			changed = true
			if message := text(one, "message"); w.chance(0.5) {
				one["message"] = v.otherwise("a record of a pod", message, v.older, v.newer, v.half)
			} else {
				one["reason"] = []string{"QueueKept", "Foreseen7", "MinMember1.Task0.SubGroup0.Role3"}[w.random.IntN(3)]
			}
			if w.chance(0.1) {
				continue // the oldest version wrote none
			}
		case "PodScheduled":
			if one["status"] == "False" {
				changed, one["reason"], one["message"] = true, "Foreseen", "other words"
			}
		}
		out = append(out, one)
	}
	if changed {
		v.do(http.MethodPut, w.jobs.pods.Path(userNamespace, p.Meta().GetName(), "status"), withConditions(p, out))
	}
}

// withConditions is a pod with other conditions.
func withConditions(p *apimodel.Stored, list []any) map[string]any {
	out := maps.Clone(p.Meta().DeepCopy().Object)
	status := maps.Clone(asMap(out["status"]))
	status["conditions"] = list
	out["status"] = status
	return out
}

// otherwise is a record as one of some other versions writes it.
func (v *otherVersions) otherwise(what, record string, by ...func(string) string) string {
	v.w.did(what + " of another version")
	out := by[v.w.random.IntN(len(by))](record)
	v.w.log("another version writes %s: %s", what, out)
	return out
}

// newer has a field that this version does not know, at one place or in all objects.
func (v *otherVersions) newer(record string) string {
	return edited(record, func(o map[string]any) { o["foreseen"] = map[string]any{"at": "2200-01-01T00:00:00Z"} })
}

// newerForm is one of which this version knows that it does not know it.
const newerForm = 99

// form writes a record in the newer form, or one of that form in ours again.
func (v *otherVersions) form(record string) string {
	to := newerForm
	if isNewer(record) {
		to = 1
	}
	return edited(record, func(o map[string]any) {
		if o["form"] != nil {
			o["form"] = to
		}
	})
}

// isNewer is false of a part of such a record, which is read as one that was edited.
func isNewer(record string) bool {
	var is struct{ Form int }
	return json.Unmarshal([]byte(record), &is) == nil && is.Form == newerForm
}

// overwritten checks that a scheduler leaves alone what is kept in a form that it does not know.
func (c *checker) overwritten(write apimodel.Write) {
	if write.Before != nil && isNewer(text(write.Before.Object, "data", "usage.json")) &&
		time.Since(c.restoredAt) > seenWithin {
		c.w.wrong("%s wrote %s over what is in a form of a newer version", write.Client, write.Key())
	}
}

// younger are the fields that came after a record's first form: those that are left out where there is nothing to say.
var younger = []string{"controller", "neverComplete", "unknown", "source", "Runs", "Firsts", "objects"}

func (v *otherVersions) older(record string) string {
	return edited(record, func(o map[string]any) {
		for _, field := range younger {
			delete(o, field)
		}
	})
}

// half is the first part of it.
func (v *otherVersions) half(record string) string {
	return strings.ToValidUTF8(record[:v.w.random.IntN(len(record)+1)], "")
}

// edited is a record with every object in it changed; one that is none stays.
func edited(record string, change func(map[string]any)) string {
	d := json.NewDecoder(strings.NewReader(record))
	d.UseNumber()
	var o any
	if d.Decode(&o) != nil {
		return record
	}
	var walk func(any)
	walk = func(x any) {
		switch x := x.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(x)) {
				walk(x[key])
			}
			change(x)
		case []any:
			for _, one := range x {
				walk(one)
			}
		}
	}
	walk(o)
	text, _ := json.Marshal(o) // it was read as JSON
	return string(text)
}

func (v *otherVersions) do(method, path string, body any) { v.w.doAs(otherVersion, method, path, body) }
