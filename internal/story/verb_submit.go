package story

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// submit makes a job: a PodGroup and its pods.
//
//	submit ml/train queue=red min=3  1 x cpu=1 as ps  2 x cpu=4,gpu=1 as worker  for=10m
//
// The pods are "N x AMOUNTS [as ROLE]", any number of times; "3 x nothing" are pods that ask for nothing. They are
// called train-0, train-1 …, and with a role train-worker-0 …. What is said of pods (on, nominated, label, grace, for,
// gated, owned, selector, tolerate, port, image, with, apart, near, spread, pod-priority, task-priority, scheduler)
// holds for the pods of the last "N x" before it, and for all pods when it comes before the first.
//
// Without min the minimum is all pods. no-group makes pods without a PodGroup: a single one is called by the name
// alone; owner=NAME names their controller (KIND/NAME with its kind, KIND/NAME/UID with its UID), and then min and
// queue are what the owner's annotations ask for; group=NAME lets them name a PodGroup that does not exist.
//
// phase is what its PodGroup's status says when it comes. sla is how long the job may wait, from when it appears.
// preemptable, jdb-min and jdb-max are what its PodGroup says of room that others want back; revocable pods may run
// where room is lent by the hour.
//
// estimate is what its Volcano Job says of how long each pod runs (spec.runningEstimate).
//
// for is how long a pod runs, and what it says of that; guess is what it says instead. limit is its
// activeDeadlineSeconds: it runs no longer, and fails then.
//
// kept marks pods volcano.sh/preemptable: "false", preempts=never is their preemptionPolicy.
//
// fault=FIELD sets an object aside: the PodGroup, or the pods of the "N x" before it.
var submitVerb = verb{syntax: "submit NAMESPACE/NAME [queue=Q] [min=N] [minroles=ps:1,worker:2] [minresources=cpu:4] " +
	"[priority=CLASS] [phase=PHASE] [sla=10m] [estimate=10m] [preemptable|preemptable=no] [jdb-min=N|N%] [jdb-max=N|N%] " +
	"[topology=soft|hard:TIER] [subgroups=KEY:SIZE:MIN[:soft|:hard:TIER]]… [no-group [owner=[KIND/]NAME[/UID]] " +
	"[group=NAME]] [at=10m] [fault=FIELD] " +
	"[N x AMOUNTS|nothing [as ROLE] [for=10m] [takes=10m] [guess=10m] [template=NAME] " +
	"[limit=1h] [gated] [queue-gated] [owned] " +
	"[on=NODE] [nominated=NODE] [label=KEY:VALUE] [grace=30s] [cooldown=10m] [revocable] [kept] " +
	"[preempts=never] [selector=KEY:VALUE] [tolerate=KEY=VALUE:EFFECT] [port=80] [image=NAME] " +
	"[cores=N,…] [numa=POLICY] [with=KEY@SELECTOR] [apart=KEY@SELECTOR] [near=KEY@SELECTOR:WEIGHT] " +
	"[spread=KEY@SELECTOR:SKEW] [pod-priority=N|CLASS] [task-priority=N] [scheduler=NAME] " +
	"[fault=FIELD]]…", do: submit}

// grow adds pods to a job that is there, numbered on:
//
//	grow ml/train 2 x cpu=4
var growVerb = verb{syntax: "grow NAMESPACE/NAME N x AMOUNTS …", do: grow}

// order is what a line asks to be made.
type order struct {
	key     ledger.Key
	group   model.PodGroup
	min     bool // said
	noGroup bool
	owner   string
	ownerID string
	named   string // the PodGroup that pods without one name all the same
	at      time.Duration
	all     template // what holds for every pod
	pods    []template
}

// template is the pods of one "N x".
type template struct {
	count int
	item  sim.Item
	pod   model.Pod
	spec  model.Spec

	guessed bool // what the pod says of its run time is not how long it runs
}

func submit(s *stage, w *words) error {
	o, err := readOrder(w)
	if err != nil {
		return err
	}
	if _, known := s.stated[groupRef(o.key)]; known && !o.noGroup {
		return fmt.Errorf("%s is there already; grow adds pods to it", o.key)
	}
	o.make(s)
	return nil
}

func grow(s *stage, w *words) error {
	o, err := readOrder(w)
	if err != nil {
		return err
	}
	g, known := s.stated[groupRef(o.key)].(*model.PodGroup)
	if !known {
		return fmt.Errorf("there is no job %s", o.key)
	}
	o.group.PriorityClass = g.PriorityClass
	o.makePods(s)
	return nil
}

func readOrder(w *words) (*order, error) {
	key, err := w.key()
	if err != nil {
		return nil, err
	}
	o := &order{key: key, all: template{pod: model.Pod{Ours: true, Index: -1, Preemptable: true}}}
	o.group.Namespace, o.group.Name = key.Namespace, key.Name
	for {
		word, ok := w.next()
		if !ok {
			return o, nil
		}
		if n, err := strconv.Atoi(word); err == nil {
			if err := o.template(n, w); err != nil {
				return nil, err
			}
			continue
		}
		known, err := o.option(word)
		if !known && err == nil {
			known, err = o.current().option(word, w)
		}
		if !known && err == nil {
			err = unknown(word)
		}
		if err != nil {
			return nil, err
		}
	}
}

// current is what an option about pods is about.
func (o *order) current() *template {
	if n := len(o.pods); n > 0 {
		return &o.pods[n-1]
	}
	return &o.all
}

// template reads what follows the number of "N x AMOUNTS".
func (o *order) template(n int, w *words) error {
	if x, _ := w.next(); x != "x" {
		return fmt.Errorf("after %d comes x and what each pod asks for, as in %d x cpu=1", n, n)
	}
	what, ok := w.next()
	if !ok {
		return errors.New("what each pod asks for is missing; nothing, if nothing")
	}
	t := o.all
	t.spec.Selector, t.spec.Tolerations = slices.Clone(t.spec.Selector), slices.Clone(t.spec.Tolerations)
	t.count = n
	t.spec.Requests = resource.List{{Name: resource.PodsName, Value: 1}}
	if what != "nothing" {
		l, err := amounts(what)
		if err != nil {
			return err
		}
		t.spec.Requests = resource.Normalize(append(t.spec.Requests, l...))
	}
	o.pods = append(o.pods, t)
	return nil
}

// option reads what is said of the job; false when the word is about pods.
func (o *order) option(word string) (known bool, err error) {
	key, value := option(word)
	switch key {
	case "queue":
		o.group.Queue = value
	case "min":
		o.min = true
		o.group.MinMember, err = number(key, value)
	case "minroles":
		o.group.MinTaskMember, err = roleMins(value)
	case "minresources":
		o.group.HasMin = true
		o.group.MinResources, err = amounts(value)
	case "priority":
		o.group.PriorityClass = value
	case "phase":
		o.group.Phase, err = phaseOf(value)
	case "sla", "estimate":
		var d time.Duration
		if d, err = duration(key, value); key == "sla" {
			o.group.MaxWait = int64(d)
		} else {
			o.group.Estimate = max(1, int64(d))
		}
	case "preemptable":
		if !slices.Contains([]string{"", "no", "unset"}, value) {
			return true, unknown(word)
		}
		o.group.Preemptable, o.group.Protected = value == "", value == "no"
	case "jdb-min":
		o.group.MinAvailable, err = portion(key, value)
	case "jdb-max":
		o.group.MaxUnavailable, err = portion(key, value)
	case "no-group":
		o.noGroup = true
	case "owner":
		o.owner, o.ownerID = value, ""
		if kind, rest, ok := strings.Cut(value, "/"); ok {
			name, uid, _ := strings.Cut(rest, "/")
			o.owner, o.ownerID = name, kind+"/"+uid
		}
	case "group":
		o.named = value
	case "at":
		o.at, err = duration(key, value)
	case "fault":
		if len(o.pods) > 0 {
			return false, nil
		}
		o.group.Faults = fault(value)
	default:
		return o.shape(key, value)
	}
	return true, err
}

func roleMins(value string) ([]model.RoleMin, error) {
	var out []model.RoleMin
	for _, one := range strings.Split(value, ",") {
		role, n, err := pair("minroles", one)
		if err != nil {
			return nil, err
		}
		least, err := number("minroles", n)
		if err != nil {
			return nil, err
		}
		out = append(out, model.RoleMin{Role: role, Min: least})
	}
	slices.SortFunc(out, func(a, b model.RoleMin) int { return strings.Compare(a.Role, b.Role) })
	return out, nil
}

// option reads what is said of pods; false when the word is not known.
func (t *template) option(word string, w *words) (known bool, err error) {
	key, value := option(word)
	switch key {
	case "as":
		role, ok := w.next()
		if !ok {
			return true, errors.New("as: the role is missing")
		}
		t.pod.Role = role
	case "gated":
		t.pod.Gated = true
	case "queue-gated":
		t.pod.Gated, t.pod.QueueGate = true, model.QueueGateShut
	case "owned":
		t.item.Owned = true
	case "on":
		t.pod.Node, t.pod.Phase, t.pod.Healthy = value, model.PodRunning, true
	case "label":
		var l model.Label
		l.Key, l.Value, err = pair(key, value)
		t.pod.Labels = append(slices.Clone(t.pod.Labels), l)
		slices.SortFunc(t.pod.Labels, func(a, b model.Label) int { return strings.Compare(a.Key, b.Key) })
	case "for", "takes", "guess", "limit", "grace", "cooldown", "template":
		err = t.time(key, value)
	case "revocable":
		t.spec.Revocable = true
	case "kept":
		t.pod.Preemptable = false
	case "preempts":
		if value != "never" {
			return true, unknown(word)
		}
		t.pod.PreemptNever, t.pod.PreemptSet = true, true
	case "nominated":
		t.pod.Nominated = value
	case "scheduler":
		t.pod.Ours, t.pod.Scheduler = false, value
	case "pod-priority":
		if n, bad := number(key, value); bad == nil {
			t.pod.Priority, t.pod.HasPriority = n, true
		} else {
			t.pod.PriorityClass = value
		}
	case "task-priority":
		t.pod.TaskPriority, err = number(key, value)
		t.pod.HasTaskPriority = true
	case "fault":
		t.pod.Faults = fault(value)
	default:
		return t.spot(key, value)
	}
	return true, err
}

// spot reads what a pod asks of its node.
func (t *template) spot(key, value string) (known bool, err error) {
	switch key {
	case "selector":
		var l model.Label
		l.Key, l.Value, err = pair(key, value)
		t.spec.Selector = append(t.spec.Selector, l)
	case "tolerate":
		var x model.Taint
		x, err = taint(key, value)
		t.spec.Tolerations = append(t.spec.Tolerations, model.Toleration{Key: x.Key, Value: x.Value, Effect: x.Effect})
	case "image":
		t.spec.Images = append(t.spec.Images, value)
		slices.Sort(t.spec.Images)
	case "port":
		var n int32
		n, err = number(key, value)
		t.spec.Ports = append(t.spec.Ports, model.HostPort{IP: "0.0.0.0", Protocol: "TCP", Port: n})
	default:
		if known, err = t.numaWords(key, value); known {
			return true, err
		}
		return t.neighbours(key, value)
	}
	return true, err
}
