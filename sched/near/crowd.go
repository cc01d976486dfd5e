package near

import (
	"slices"
	"strings"

	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
)

// crowd is the pods that all of some model.Crowds are about; mostly there is one.
type crowd struct {
	form    string
	parts   []model.Crowd
	birth   int64
	text    string
	members []*Tally
	holders []*Tally
	herds   []*herd
	refs    int // tallies
}

// herd is the pods of one namespace with one set of labels.
type herd struct {
	form      string
	namespace string
	labels    []model.Label
	crowds    []*crowd
	kin       []int64 // the holders of terms about it, sorted; see Book.follow
	brood     *brood  // its pods are of, nil: none
	stale     bool    // kin is to be found anew
	seats     []int32 // its pods, as TaskIDs, in no order
}

// has says that a crowd is about the pods of a herd.
func (b *Book) has(c *crowd, h *herd) bool {
	for i := range c.parts {
		if !b.about(&c.parts[i], h) {
			return false
		}
	}
	return len(c.parts) > 0
}

func (b *Book) about(c *model.Crowd, h *herd) bool {
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
func (b *Book) labelsOf(namespace string) []model.Label {
	if n := b.l.Namespace(namespace); n != nil {
		return n.Labels
	}
	return []model.Label{{Key: model.NamespaceNameLabel, Value: namespace}}
}

// byLabels says that the labels of namespaces decide who is of the crowd.
func (c *crowd) byLabels() bool {
	return slices.ContainsFunc(c.parts, func(p model.Crowd) bool { return p.ByLabels })
}

// formOf names a crowd: the same pods asked for in the same words.
func formOf(parts []model.Crowd) string {
	forms := make([]string, len(parts))
	for i := range parts {
		var w model.Form
		w.Crowd(&parts[i])
		forms[i] = w.String()
	}
	slices.Sort(forms)
	return strings.Join(slices.Compact(forms), "&")
}

// handle is a label that every pod of a crowd has, with one of these values: by it crowds
// find their herds, and herds their crowds, without looking at all of them. False: the
// selector names none.
func (c *crowd) handle() (key string, values []string, ok bool) {
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

// textOf writes a crowd's selectors as kubectl would.
func textOf(parts []model.Crowd) string {
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

func selectorText(c *model.Crowd) string {
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
