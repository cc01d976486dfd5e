package model

import (
	"strconv"
	"strings"
)

// Form writes parts of a Spec as text: two texts are equal exactly when the parts are. Every string is written
// with its length, so that different specs have different texts. The format must not change: ties between
// nodes are broken by a hash of it.
type Form struct{ w strings.Builder }

// String returns the text.
func (f *Form) String() string { return f.w.String() }

// Text writes strings.
func (f *Form) Text(parts ...string) {
	for _, p := range parts {
		f.w.WriteString(strconv.Itoa(len(p)))
		f.w.WriteByte(':')
		f.w.WriteString(p)
	}
}

// Number writes a whole number.
func (f *Form) Number(x int64) {
	f.w.WriteString(strconv.FormatInt(x, 10))
	f.w.WriteByte(';')
}

// Part ends one part and begins the next.
func (f *Form) Part() { f.w.WriteByte('|') }

// Labels writes a selector.
func (f *Form) Labels(labels []Label) {
	for _, x := range labels {
		f.Text(x.Key, x.Value)
	}
}

// Terms writes node affinity terms.
func (f *Form) Terms(terms []Term) {
	for _, t := range terms {
		f.Number(int64(len(t.All)))
		for _, r := range t.All {
			f.Text(r.Key, string(r.Op), strconv.FormatBool(r.Field))
			f.Number(int64(len(r.Values)))
			f.Text(r.Values...)
		}
	}
}

// Preferences writes preferred terms with their weights.
func (f *Form) Preferences(ps []Preference) {
	for _, p := range ps {
		f.Number(int64(p.Weight))
		f.Terms([]Term{p.Term})
	}
}

// Tolerations writes what a pod tolerates.
func (f *Form) Tolerations(ts []Toleration) {
	for _, t := range ts {
		f.Text(t.Key, t.Value, strconv.FormatBool(t.Exists), string(t.Effect))
	}
}

// Groups writes the node groups of a queue; nothing without any.
func (f *Form) Groups(g *NodeGroups) {
	if g == nil {
		return
	}
	for _, names := range [...][]string{g.Required, g.Preferred, g.Forbidden, g.Avoided} {
		f.Part()
		f.Text(names...)
	}
}

// Limits writes the limits of a queue for each group; nothing where it has none.
func (f *Form) Limits(l *GroupLimits) {
	if l == nil {
		return
	}
	f.Part()
	f.Text("limits", l.Queue, strconv.FormatBool(l.Unreadable))
	for _, of := range l.Of {
		f.Part()
		f.Text(of.Group)
		for _, a := range of.Most {
			f.Text(a.Name)
			f.Number(a.Value)
		}
	}
}
