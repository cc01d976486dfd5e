package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Classes holds the classes: tasks that are placed alike share one.
type Classes struct {
	l *Ledger

	rows        []Class
	free        []ClassID
	retired     []ClassID // classes without tasks, in the order in which they retired
	retiredKeys int       // the length of their keys
	byKey       map[string]ClassID
	births      uint64
	termMatcher TermMatcher
}

// Class is the row of an equivalence class: the pods with equal Specs. What
// holds for one of them on a node holds for all.
type Class struct {
	Spec       *model.Spec
	Key        string // canonical form of Spec; except for MatchedTerms equal in every engine
	Hash       uint64 // of that form without MatchedTerms, NUMA and Images
	Need       []Need // what one task takes of a node, dimensions above zero only
	Request    resource.Vec
	BestEffort bool
	Invalid    bool   // its pods are set aside: never placed, though they may hold room
	Born       uint64 // changes whenever the row becomes another class
	suffix     string // the part of Key that follows from other facts, too
	refs       int32
	retired    bool // it is on the list of classes without references, or was when it came back
}

// Need is an amount in one dimension.
type Need struct {
	Dim    resource.Dim
	Amount int64
}

// Class returns the row of a class.
func (l *Ledger) Class(c ClassID) *Class { return &l.Classes.rows[c] }

// Request is what a task asks for.
func (l *Ledger) Request(t TaskID) resource.Vec { return l.Classes.rows[l.Tasks.rows[t].Class].Request }

// Len is an upper bound for ClassIDs.
func (cs *Classes) Len() int { return len(cs.rows) }

// of interns a spec; the caller owns one reference. Pods that are set aside have classes of their own: what
// can be read of their specs counts for those that run.
func (cs *Classes) of(s *model.Spec, invalid bool) ClassID {
	if s == nil {
		s = &model.Spec{}
	}
	key := canonical(s)
	if invalid {
		key = "invalid|" + key
	}
	hash := Hash(key)
	suffix := cs.suffix(s)
	key += suffix
	if c, ok := cs.byKey[key]; ok {
		cs.rows[c].refs++
		return c
	}
	cs.births++
	row := Class{Spec: s, Key: key, Hash: hash, suffix: suffix, refs: 1, Invalid: invalid, Born: cs.births}
	row.Request = cs.l.Dims.VecOfTenant(s.Requests)
	row.BestEffort = s.BestEffort() && !invalid
	for d, x := range row.Request {
		if x > 0 {
			row.Need = append(row.Need, Need{resource.Dim(d), x})
		}
	}
	cs.l.Nodes.widen()
	c := newRow(&cs.rows, &cs.free)
	cs.rows[c] = row
	cs.byKey[key] = c
	return c
}

// suffix is the part of a class's key that follows from other facts, too.
func (cs *Classes) suffix(s *model.Spec) string {
	return matchedTermsForm(s.MatchedTerms) + cs.l.NUMA.form(s) + cs.l.Images.form(s)
}

// again is of for a pod that was of a class with the same spec; NoClass if its class is to be found anew.
func (cs *Classes) again(c ClassID, s *model.Spec, invalid bool) ClassID {
	if c == NoClass || s == nil {
		return NoClass
	}
	row := &cs.rows[c]
	if row.Invalid != invalid || !row.Spec.Groups.Equal(s.Groups) ||
		!slices.Equal(row.Spec.MatchedTerms, s.MatchedTerms) || row.suffix != cs.suffix(s) {
		return NoClass // see reclass
	}
	row.refs++
	return c
}

// mostRetired is how many classes without tasks keep their rows: templates come back, and then everything that
// was found about the class is still there. mostRetiredKeys is how long their keys may be together: tenants choose
// how large a spec is.
const (
	mostRetired     = 1024
	mostRetiredKeys = 32 << 20
)

// drop gives back one reference. A class without references retires. When too many are retired, those
// that retired first lose their rows.
func (cs *Classes) drop(c ClassID) {
	row := &cs.rows[c]
	if row.refs--; row.refs > 0 || row.retired {
		return
	}
	row.retired = true
	cs.retired = append(cs.retired, c)
	cs.retiredKeys += len(row.Key)
	for len(cs.retired) > mostRetired || cs.retiredKeys > mostRetiredKeys && len(cs.retired) > 1 {
		cs.forget()
	}
}

// forget takes the row of the class that retired first, unless it came back.
func (cs *Classes) forget() {
	oldest := cs.retired[0]
	cs.retired = append(cs.retired[:0], cs.retired[1:]...)
	row := &cs.rows[oldest]
	cs.retiredKeys -= len(row.Key)
	if row.Live() {
		row.retired = false
		return
	}
	delete(cs.byKey, row.Key)
	*row = Class{}
	cs.free = append(cs.free, oldest)
}

// Live says that some task is of this class. A row that is not live may become another class later, with
// another Key and Born.
func (c *Class) Live() bool { return c.refs > 0 }

// Tasks is the number of tasks of this class.
func (c *Class) Tasks() int { return int(c.refs) }

// Hash is FNV-1a. It must never change: ties between nodes are broken by it.
func Hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// SameSpec says that two specs ask for the same.
func SameSpec(a, b *model.Spec) bool { return canonical(a) == canonical(b) }

// canonical writes everything of a spec that filters and scores read.
func canonical(s *model.Spec) string {
	var w model.Form
	for _, a := range s.Requests {
		if a.Value != 0 {
			w.Text(a.Name)
			w.Number(a.Value)
		}
	}
	w.Part()
	w.Labels(s.Selector)
	w.Part()
	if w.Terms(s.Affinity); s.Affinity != nil && len(s.Affinity) == 0 {
		w.Number(0) // a required affinity without a term admits no node, as one with an empty term does
	}
	w.Part()
	w.Preferences(s.Preferred)
	w.Part()
	w.Tolerations(s.Tolerations)
	w.Part()
	for _, p := range s.Ports {
		w.Text(p.IP, p.Protocol)
		w.Number(int64(p.Port))
	}
	w.Part()
	w.Text(s.Extra)
	if s.Groups != nil {
		w.Groups(s.Groups)
		w.Limits(s.Groups.Limits)
	}
	w.Neighbours(s.Neighbours)
	if s.Revocable {
		w.Part()
		w.Text("revocable")
	}
	if len(s.Devices) > 0 {
		w.Part()
		w.Text("devices")
		w.Text(s.Devices...)
	}
	if len(s.Features) > 0 {
		w.Part()
		w.Text("features")
		w.Text(s.Features...)
	}
	return w.String()
}
