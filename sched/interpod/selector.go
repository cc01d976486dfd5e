package interpod

import (
	"slices"
	"strings"

	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
)

// selector is the pods that all of some model.PodSelectors are about; mostly there is one.
type selector struct {
	form    string
	parts   []model.PodSelector
	birth   int64
	text    string
	members []*DomainCount
	holders []*DomainCount
	pods    []*labelledPods
	refs    int // domain counts
}

// labelledPods is the pods of one namespace with one set of labels.
type labelledPods struct {
	form         string
	namespace    string
	labels       []model.Label
	selectors    []*selector
	matchedTerms []int64 // the holders of terms about it, sorted; see Affinities.follow
	brood        *brood  // its pods are of, nil: none
	stale        bool    // kin is to be found anew
	members      []int32 // its pods, as TaskIDs, in no order
}

// has says that a selection is about the pods of a set of pods with the same labels.
func (b *Affinities) has(c *selector, h *labelledPods) bool {
	for i := range c.parts {
		if !b.about(&c.parts[i], h) {
			return false
		}
	}
	return len(c.parts) > 0
}

func (b *Affinities) about(c *model.PodSelector, h *labelledPods) bool {
	if c.Nobody || !match.Selects(c.Selector, h.labels) {
		return false
	}
	if _, named := slices.BinarySearch(c.Namespaces, h.namespace); named {
		return true
	}
	return c.ByLabels && match.Selects(c.InSuch, b.labelsOf(h.namespace))
}

// labelsOf are a namespace's labels. One that nobody has told of has its name: the API
// server gives that to every namespace.
func (b *Affinities) labelsOf(namespace string) []model.Label {
	if n := b.l.Namespace(namespace); n != nil {
		return n.Labels
	}
	return []model.Label{{Key: model.NamespaceNameLabel, Value: namespace}}
}

// byLabels says that the labels of namespaces decide who is of the selected pods.
func (c *selector) byLabels() bool {
	return slices.ContainsFunc(c.parts, func(p model.PodSelector) bool { return p.ByLabels })
}

// formOf names a selection: the same pods asked for in the same words.
func formOf(parts []model.PodSelector) string {
	forms := make([]string, len(parts))
	for i := range parts {
		var w model.Form
		w.PodSelector(&parts[i])
		forms[i] = w.String()
	}
	slices.Sort(forms)
	return strings.Join(slices.Compact(forms), "&")
}

// handle is a label that every pod of a selection has, with one of these values: by it selected pods
// find their pods by label set, and pods by label set their selected pods, without looking at all of them. False: the
// selector names none.
func (c *selector) handle() (key string, values []string, ok bool) {
	for i := range c.parts {
		for _, r := range c.parts[i].Selector {
			if r.Op == model.In && len(r.Values) > 0 && (!ok || len(r.Values) < len(values)) {
				key, values, ok = r.Key, r.Values, true
			}
		}
	}
	return key, values, ok
}

// mostText bounds how long a selector is written out.
const mostText = 80

// textOf writes a selection's selectors as kubectl would.
func textOf(parts []model.PodSelector) string {
	var out []string
	for i := range parts {
		out = append(out, selectorText(&parts[i]))
	}
	slices.Sort(out)
	text := strings.Join(slices.Compact(out), " and ")
	if len(text) > mostText {
		return strings.ToValidUTF8(text[:mostText], "") + "…"
	}
	return text
}

func selectorText(c *model.PodSelector) string {
	if c.Nobody {
		return "none"
	}
	var out []string
	for _, r := range c.Selector {
		switch {
		case r.Op == model.In && len(r.Values) == 1:
			out = append(out, r.Key+"="+r.Values[0])
		case r.Op == model.In:
			out = append(out, r.Key+" in ("+strings.Join(r.Values, ",")+")")
		case r.Op == model.NotIn:
			out = append(out, r.Key+" notin ("+strings.Join(r.Values, ",")+")")
		case r.Op == model.Exists:
			out = append(out, r.Key)
		default:
			out = append(out, "!"+r.Key)
		}
	}
	if len(out) == 0 {
		return "any pod"
	}
	return strings.Join(out, ",")
}
