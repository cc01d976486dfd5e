package explain

import (
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// CycleList are cycles that decided something, the oldest first. No list is null.
type CycleList struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Since      string  `json:"since,omitempty"` // from when on they are known, RFC 3339
	Items      []Cycle `json:"items"`
	Last       uint64  `json:"last"`            // the last cycle that ran
	Quiet      int     `json:"quiet,omitempty"` // cycles after the last of Items, which decided nothing
	More       int     `json:"more,omitempty"`  // older cycles that are known, too, and were asked for
}

// NewCycleList is a list without cycles.
func NewCycleList() *CycleList {
	return &CycleList{APIVersion: "ashlar.sh/v1alpha1", Kind: "CycleList", Items: []Cycle{}}
}

// Cycle is what one cycle decided, in figures.
type Cycle struct {
	Cycle     uint64   `json:"cycle"`
	Time      string   `json:"time"`                // RFC 3339
	Seconds   *float64 `json:"seconds,omitempty"`   // virtual, in a run that is played
	Bound     int      `json:"bound,omitempty"`     // pods
	Evicted   int      `json:"evicted,omitempty"`   // pods
	Admitted  int      `json:"admitted,omitempty"`  // jobs that came to Inqueue
	Withdrawn int      `json:"withdrawn,omitempty"` // evictions that were taken back
	Other     int      `json:"other,omitempty"`     // other decisions: room kept for pods, phases, gates
	Took      float64  `json:"took,omitempty"`      // seconds for which it was decided; 0: that is not known
	Panicked  bool     `json:"panicked,omitempty"`  // it has no decisions
	Quiet     int      `json:"quiet,omitempty"`     // cycles since the one before in the list, which decided nothing
}

// Decided says that a cycle belongs into a list.
func (c *Cycle) Decided() bool {
	return c.Panicked || c.Bound+c.Evicted+c.Admitted+c.Withdrawn+c.Other > 0
}

// Count takes a decision into the figures. With withdrawn evictions each counts, not the decision.
func (c *Cycle) Count(kind sched.ItemKind, phase model.GroupPhase, withdrawn int) {
	switch {
	case kind == sched.BindPod:
		c.Bound++
	case kind == sched.EvictPod:
		c.Evicted++
	case kind == sched.SetPhase && phase == model.GroupInqueue:
		c.Admitted++
	case kind == sched.WithdrawEviction:
		c.Withdrawn += withdrawn
	default:
		c.Other++
	}
}

// CycleAnswer is one cycle with its decisions. No list is null.
type CycleAnswer struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Cycle
	Decisions []Decided  `json:"decisions"`
	Evictions []Eviction `json:"evictions"`
	More      int        `json:"more,omitempty"`   // decisions beyond those of the list
	Hidden    int        `json:"hidden,omitempty"` // decisions about jobs of namespaces that the user may not see
}

// Decided is one decision in words, and the job that it is about, namespace/name; "" where that is not known.
type Decided struct {
	Job  string `json:"job,omitempty"`
	What string `json:"what"`
}

// NewCycleAnswer is a cycle without decisions.
func NewCycleAnswer(c Cycle) *CycleAnswer {
	return &CycleAnswer{APIVersion: "ashlar.sh/v1alpha1", Kind: "Cycle", Cycle: c, Decisions: []Decided{},
		Evictions: []Eviction{}}
}

// EvictionList are evictions, the newest first. No list is null.
type EvictionList struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Since      string           `json:"since,omitempty"` // from when on they are known, RFC 3339
	Items      []Eviction       `json:"items"`
	Total      int              `json:"total"`
	Hidden     *HiddenEvictions `json:"hidden,omitempty"` // those of the last hour that the user may not see by name
	Unknown    []string         `json:"unknown"`          // what could not be read, and what that costs
}

// HiddenEvictions sums evictions of the last hour up.
type HiddenEvictions struct {
	Count    int            `json:"count"`
	ByAction map[string]int `json:"byAction"`
}

// NewEvictionList is a list without evictions.
func NewEvictionList() *EvictionList {
	return &EvictionList{APIVersion: "ashlar.sh/v1alpha1", Kind: "EvictionList", Items: []Eviction{},
		Unknown: []string{}}
}
