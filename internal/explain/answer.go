package explain

import (
	"fmt"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/trace"
)

// Answer is what is known of one job, pod, queue or node: the document of `ashlar why -o json`, of which
// docs/answer.schema.json is the schema. Fields may be added to it, none changed; no list is null. It decides nothing:
// it renders what the engine left.
type Answer struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Subject    Subject `json:"subject"`
	State      State   `json:"state"`
	Summary    string  `json:"summary"` // one sentence: what is missing, with amounts; or where it runs, since when
	// Reason is why it waits, by code; nil: it does not wait.
	Reason *Reason `json:"reason,omitempty"`
	// Path is the decisions that a job or a pod passes on its way to a node, in their order.
	Path []Step `json:"path"`
	// Changes are the smallest changes after which it would run, each proved by the engine on a copy.
	Changes []Change `json:"wouldRunIf"`
	// Tried is when changes were tried, RFC 3339; "": they were not.
	Tried  string   `json:"wouldRunTried,omitempty"`
	Places []Place  `json:"places"`
	Notes  []string `json:"notes"` // what else a reader should know
	// Start is when a job starts that waits; nil: it does not, or that was not estimated.
	Start *Start `json:"start,omitempty"`
	Basis Basis  `json:"basis"`

	Queue *QueueAnswer `json:"queue,omitempty"` // of a queue
	Node  *NodeAnswer  `json:"node,omitempty"`  // of a node
	// Eviction is that of a pod. It has a record where that is known: a live cluster has only what its event says.
	Eviction *Eviction `json:"eviction,omitempty"`
}

// Subject is what was asked about. Asked is the name that was given, where it is that of the PodGroup's owner.
type Subject struct {
	Kind      string `json:"kind"` // job, pod, queue, node or eviction
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Asked     string `json:"asked,omitempty"`
}

// State says in one word where a job or a pod stands.
type State string

// The states. A queue is Open or Closed, a node Present or Cordoned, an eviction Evicted.
const (
	Runs            State = "Runs"
	Starts          State = "Starts"          // nothing is in its way: the next cycle places it
	Finished        State = "Finished"        // its pods have ended
	WaitsForRoom    State = "WaitsForRoom"    // room on nodes is missing, or nodes that suit it
	WaitsForQueue   State = "WaitsForQueue"   // its queue has no room for it, takes no jobs, or serves others first
	WaitsForObjects State = "WaitsForObjects" // its own pods, claims or gates, or an error in it
	Never           State = "Never"           // it cannot start as it, its queue and the nodes are
	Foreign         State = "Foreign"         // of another scheduler
	Open            State = "Open"
	Closed          State = "Closed"
	Present         State = "Present"
	Cordoned        State = "Cordoned"
	WasEvicted      State = "Evicted"
	Unclear         State = "Unclear" // what may be read does not say
)

// Verdict is what became of a step.
type Verdict string

// The verdicts.
const (
	Passed     Verdict = "passed"
	Refused    Verdict = "refused"
	NotReached Verdict = "notReached"
	Told       Verdict = "told" // it decides nothing by itself
)

// Step is one decision on the way of a job. Details are its parts, one a line.
type Step struct {
	Name    string   `json:"name"`
	Verdict Verdict  `json:"verdict"`
	Text    string   `json:"text"`
	Details []string `json:"details,omitempty"`
}

// Change is what would make a job run, as the engine has tried it: one change, or several together.
type Change struct {
	Kind   string   `json:"kind"` // those of docs/would-run-if.md, with + between several
	Text   string   `json:"text"`
	Least  bool     `json:"least"`            // one step less was tried and does not do
	Evicts []string `json:"evicts,omitempty"` // the pods that are evicted for it, namespace/name
}

// Place is a node and how many pods of the subject are on it, or go to it.
type Place struct {
	Node string `json:"node"`
	Pods int    `json:"pods"`
}

// Basis is what an answer rests on.
type Basis struct {
	// Source is cluster, files, dump, recording, or written: the conditions and events of its objects.
	Source        string   `json:"source"`
	Time          string   `json:"time,omitempty"` // RFC 3339; "" for files
	Age           Duration `json:"age,omitempty"`  // of a plan: where something has changed since
	Configuration string   `json:"configuration"`
	Unknown       []string `json:"unknown"` // what could not be read, and what that costs
}

// Asking is what every answer needs beside its subject.
type Asking struct {
	Basis   Basis
	Now     int64             // nanoseconds since the epoch; 0: not known
	Evicted []*trace.Eviction // the evictions that the cycle asked for

	Hide func([]DeviceGroup) // takes out of the devices of a node what is not to be told; nil: nothing
}

func (a *Asking) answer(s Subject) *Answer {
	out := &Answer{APIVersion: "ashlar.sh/v1alpha1", Kind: "Answer", Subject: s, Path: []Step{}, Changes: []Change{},
		Places: []Place{}, Notes: []string{}, Basis: a.Basis}
	if out.Basis.Unknown == nil {
		out.Basis.Unknown = []string{}
	}
	return out
}

// wrong tells what is wrong with the subject's objects: an error in an object is taken for something else, and what
// that is can be read from no figure.
func (a *Answer) wrong(problems []sched.Problem) {
	const most = 6
	for _, p := range problems[:min(len(problems), most)] {
		a.Notes = append(a.Notes, p.Object+" has an error: "+p.Message)
	}
	if more := len(problems) - most; more > 0 {
		a.Notes = append(a.Notes, fmt.Sprintf("its objects have %d more errors", more))
	}
}

// since is ", since 2026-01-02T15:04:05Z (3h12m)"; "" where the moment is not known.
func (a *Asking) since(started int64) string {
	if started <= 0 || a.Now == 0 { // virtual time begins with no date
		return ""
	}
	text := ", since " + time.Unix(0, started).UTC().Format(time.RFC3339)
	if a.Now > started {
		text += " (" + age(a.Now-started) + ")"
	}
	return text
}

// age is a span for the eye: its two largest units.
func age(nanoseconds int64) string {
	left := nanoseconds / int64(time.Second)
	text, units := "", 0
	for _, u := range []struct {
		of   int64
		name string
	}{{86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}} {
		n := left / u.of
		left %= u.of
		if n == 0 && units == 0 && u.of > 1 {
			continue
		}
		if units++; n > 0 || units == 1 {
			text += fmt.Sprintf("%d%s", n, u.name)
		}
		if units == 2 {
			break
		}
	}
	return text
}
