package explain

import (
	"fmt"
	"io"
	"strings"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// History is what happened to a job, decision by decision: the document of `ashlar history job -o json`, of which
// docs/history.schema.json is the schema. No list is null.
type History struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Subject    Subject   `json:"subject"`
	Since      string    `json:"since,omitempty"` // from when on it is known, RFC 3339; "": that is not known
	Moments    []Happens `json:"moments"`         // the oldest first
	Now        string    `json:"now,omitempty"`   // why it waits now; "": it does not, or that is not known
	Notes      []string  `json:"notes"`
	Basis      Basis     `json:"basis"`
}

// Happens is what happened to a job in one cycle; Cycle is 0 where that is not known.
type Happens struct {
	Cycle uint64   `json:"cycle,omitempty"`
	Time  string   `json:"time"`
	What  []string `json:"what"`
}

// NewHistory is a document in which nothing happened yet.
func NewHistory(namespace, name string, basis Basis) *History {
	if basis.Unknown == nil {
		basis.Unknown = []string{}
	}
	return &History{APIVersion: "ashlar.sh/v1alpha1", Kind: "History", Moments: []Happens{}, Notes: []string{},
		Subject: Subject{Kind: "job", Namespace: namespace, Name: name}, Basis: basis}
}

// Text writes what happened, a line each.
func (h *History) Text(w io.Writer) error {
	var b strings.Builder
	for _, m := range h.Moments {
		for i, what := range m.What {
			switch {
			case i > 0:
				fmt.Fprintf(&b, "%39s  %s\n", "", what)
			case m.Cycle == 0:
				fmt.Fprintf(&b, "%-39s  %s\n", m.Time, what)
			default:
				fmt.Fprintf(&b, "%s  cycle %-5d  %s\n", m.Time, m.Cycle, what)
			}
		}
	}
	if h.Now != "" {
		fmt.Fprintf(&b, "%-39s  waits: %s\n", "now", h.Now)
	}
	for _, n := range h.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	_, err := io.WriteString(w, Printable(b.String()))
	return err
}

// Stamp is a moment as histories tell it.
func Stamp(ns int64) string { return time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.000Z") }

// ObjectChange is an object that came, changed or went; Is and Was say what matters most of it.
type ObjectChange struct {
	Object string `json:"object"`
	What   string `json:"what"` // came, changed, replaced or gone
	Is     string `json:"is,omitempty"`
	Was    string `json:"was,omitempty"`
}

// ChangeOf compares a fact with the one before; false: nothing was known of it before, or is now.
func ChangeOf(f, was model.Fact) (ObjectChange, bool) {
	c := ObjectChange{Object: f.Ref.String(), What: "changed", Is: shortly(f.Object), Was: shortly(was.Object)}
	switch {
	case f.Object == nil && was.Object == nil:
		return c, false
	case f.Object == nil:
		c.What = "gone"
	case was.Object == nil:
		c.What = "came"
	case f.UID != was.UID:
		c.What = "replaced"
	case c.Is == c.Was:
		c.Was = ""
	}
	return c, true
}

// shortly says of an object what matters most.
func shortly(o model.Object) string {
	switch o := o.(type) {
	case *model.Pod:
		return podShortly(o)
	case *model.PodGroup:
		queue := o.Queue
		if queue == "" {
			queue = model.DefaultQueue
		}
		return fmt.Sprintf("queue %s, minMember %d, %s", queue, o.MinMember, o.Phase)
	case *model.Node:
		var amounts []string
		for _, a := range o.Allocatable {
			amounts = append(amounts, a.Name+" "+Quantity(a.Name, a.Value))
		}
		return strings.Join(amounts, ", ")
	case *model.Queue:
		return fmt.Sprintf("weight %d", o.Weight)
	case *model.Backoff:
		return fmt.Sprintf("pauses until %s: %s", Stamp(o.NotBefore), o.Answer)
	}
	return ""
}

func podShortly(p *model.Pod) string {
	node := ""
	if p.Node != "" {
		node = " on " + p.Node
	}
	switch {
	case p.Phase == model.PodSucceeded:
		return "succeeded" + node
	case p.Phase == model.PodFailed:
		return "failed" + node
	case p.Deleting:
		return "is being deleted" + node
	case p.Node == "":
		return "waits"
	case p.Phase == model.PodRunning:
		return "runs" + node
	}
	return "is bound" + node
}

// Decision is an item of a plan in words.
func Decision(i sched.Item) string {
	pod := i.Pod.String()
	switch i.Kind {
	case sched.BindPod:
		if i.Node == "" { // decided before the recording
			return "bind " + pod
		}
		return "bind " + pod + " to " + i.Node
	case sched.EvictPod:
		if i.Record != nil {
			return "evict " + pod + ": " + Evicted(i.Record)
		}
		return "evict " + pod
	case sched.NominatePod:
		if i.Node == "" {
			return "keep no room any more for " + pod
		}
		return "keep room on " + i.Node + " for " + pod
	case sched.SetPhase:
		return "phase of " + i.Group.String() + " to " + i.Phase.String()
	case sched.OpenGate:
		return "open the gate of " + pod
	case sched.WithdrawEviction:
		return "keep " + pod + ": its eviction is taken back"
	}
	return i.Kind.String()
}

// Alike tells changes of a job's objects: those that came, changed or went alike are one sentence.
func Alike(namespace string, changes []ObjectChange) (out []string) {
	short := func(name string) string {
		name = strings.TrimPrefix(strings.TrimPrefix(name, "Pod/"), "PodGroup/")
		return strings.TrimPrefix(name, namespace+"/")
	}
	alike := map[string][]string{}
	var order []string
	for _, c := range changes {
		text := c.What
		switch {
		case c.What == "changed" && c.Was == "":
			continue // nothing that is told
		case c.What == "changed":
			text = c.Is
		case c.Is != "":
			text = c.What + " (" + c.Is + ")"
		}
		if alike[text] == nil {
			order = append(order, text)
		}
		alike[text] = append(alike[text], short(c.Object))
	}
	for _, text := range order {
		out = append(out, firstNames(alike[text])+": "+text)
	}
	return out
}

func firstNames(names []string) string {
	const most = 4
	if len(names) <= most {
		return commas(names)
	}
	return fmt.Sprintf("%s and %d more", commas(names[:most]), len(names)-most)
}
