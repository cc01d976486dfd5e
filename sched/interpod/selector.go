package interpod

import (
	"slices"
	"strings"

	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
)

// selectorIndex holds the selectors of affinity terms, and which sets of labels they match.
type selectorIndex struct {
	b *Affinities

	byKey      map[string]*selector
	byLabel    map[label][]*selector
	any        []*selector // selectors without a handle
	labelled   map[string]*labelledPods
	labelledBy map[label][]*labelledPods
	buf        []byte
}

// selector is the pods that all of some PodSelectors match; mostly there is one PodSelector.
type selector struct {
	form    string
	parts   []model.PodSelector
	id      int64
	text    string
	members []*DomainCount
	holders []*DomainCount
	pods    []*labelledPods
	refs    int // domain counts that need it
}

// labelledPods is the pods of one namespace with one set of labels.
type labelledPods struct {
	form         string
	namespace    string
	labels       []model.Label
	selectors    []*selector
	matchedTerms []int64      // ids of the terms about its pods, sorted; see findMatchedTerms
	owner        string       // their controller, if it is of a kind in spreading; else ""
	services     []*service   // those that select them, by form; see serviceIndex.of
	group        *spreadGroup // nil: its pods are not spread by default
	staleGroup   bool         // services and group are to be found anew
	stale        bool         // matchedTerms is to be found anew
	members      []int32      // its pods, as TaskIDs, in no order
}

// has says that a selector matches the pods with these labels.
func (si *selectorIndex) has(c *selector, h *labelledPods) bool {
	for i := range c.parts {
		if !si.about(&c.parts[i], h) {
			return false
		}
	}
	return len(c.parts) > 0
}

func (si *selectorIndex) about(c *model.PodSelector, h *labelledPods) bool {
	if c.MatchesNothing || !match.Selects(c.Selector, h.labels) {
		return false
	}
	if _, named := slices.BinarySearch(c.Namespaces, h.namespace); named {
		return true
	}
	return c.ByLabels && match.Selects(c.InSuch, si.labelsOf(h.namespace))
}

// labelsOf returns a namespace's labels. A namespace without a fact has one label, its name: the API server
// gives that label to every namespace.
func (si *selectorIndex) labelsOf(namespace string) []model.Label {
	if n := si.b.l.Namespaces.Get(namespace); n != nil {
		return n.Labels
	}
	return []model.Label{{Key: model.NamespaceNameLabel, Value: namespace}}
}

// byLabels says that the selector names namespaces by their labels.
func (c *selector) byLabels() bool {
	return slices.ContainsFunc(c.parts, func(p model.PodSelector) bool { return p.ByLabels })
}

// formOf returns a key that is equal for equal sets of PodSelectors.
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

// handle returns a label key and values: every pod that the selector matches has this key with one of these
// values. By it selectors and pods are found for each other without a look at all of them. False: the selector
// requires no label to have certain values.
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

// mostText bounds the length of a selector's text, in bytes.
const mostText = 80

// textOf writes the selectors as kubectl would.
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
	if c.MatchesNothing {
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
