package world

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// shrunk is the smallest world that still fails, of those that lack some of its trouble, questions, schedulers or
// nodes, or last shorter. Each try is a whole run, of which there are at most so many.
func shrunk(o Options, tries int, fails func(Options) bool) Options {
	for again := true; again && tries > 0; {
		again = false
		for _, smaller := range simpler(o) {
			if tries--; tries < 0 {
				break
			}
			if fails(smaller) {
				o, again = smaller, true
				break // what could be left out before may be left out still
			}
		}
	}
	return o
}

// simpler are the worlds that lack one thing more, the largest first.
func simpler(o Options) (out []Options) {
	if o.Lasts > time.Minute {
		half := o
		half.Lasts /= 2
		out = append(out, half)
	}
	eachTrouble(&o.Trouble, func(kind string, v reflect.Value) {
		if !v.IsZero() {
			less := o
			reflect.ValueOf(&less.Trouble).Elem().FieldByName(kind).SetZero()
			out = append(out, less)
		}
	})
	if o.Reads {
		unasked := o
		unasked.Reads, unasked.Asks = false, 0
		out = append(out, unasked)
	}
	for _, has := range []func(*Options) *bool{
		func(o *Options) *bool { return &o.Devices }, func(o *Options) *bool { return &o.Volumes },
		func(o *Options) *bool { return &o.Shared }, func(o *Options) *bool { return &o.Templates },
		func(o *Options) *bool { return &o.Local }, func(o *Options) *bool { return &o.Extended },
		func(o *Options) *bool { return &o.Usage }, func(o *Options) *bool { return &o.Undefined },
	} {
		if without := o; *has(&o) {
			*has(&without) = false
			out = append(out, without)
		}
	}
	if o.Schedulers > 1 {
		one := o
		one.Schedulers = 1
		out = append(out, one)
	}
	if o.Nodes > 1 {
		fewer := o
		fewer.Nodes--
		out = append(out, fewer)
	}
	if o.MostJobs = cmp.Or(o.MostJobs, mostJobs); o.MostJobs > 1 {
		fewer := o
		fewer.MostJobs /= 2
		out = append(out, fewer)
	}
	return out
}

// The worlds that are run to make a failing one smaller are no more than so many, and take no longer than that.
const (
	mostTries = 100
	mostTime  = 5 * time.Minute
)

// retold makes a failing world small and tells what happens in it, up to what is wrong.
func retold(t *testing.T, o Options) {
	t.Helper()
	began := time.Now()
	o.Log = nil
	small := shrunk(o, mostTries, func(o Options) bool {
		return time.Since(began) < mostTime && len(run(t, o).Wrong) > 0
	})
	story := newStory()
	small.Log = story.hear
	r := run(t, small)
	if len(r.Wrong) == 0 {
		return // it takes chance
	}
	t.Logf("of world %d remain %d nodes, %d schedulers, %s, at most %d jobs and, of trouble, %s:\n%s", small.Seed,
		small.Nodes, small.Schedulers, small.Lasts, small.MostJobs, troubleOf(small.Trouble), story.text(r.Wrong[0]))
}

// troubleOf names the trouble that there is.
func troubleOf(of Trouble) string {
	out := ""
	eachTrouble(&of, func(kind string, v reflect.Value) {
		if !v.IsZero() {
			out += fmt.Sprintf(" %s %v", kind, v)
		}
	})
	return cmp.Or(strings.TrimPrefix(out, " "), "none")
}

// A world that fails shrinks to what it takes to fail.
func TestAFailingWorldShrinks(t *testing.T) {
	o := drawn(1, 8*time.Minute)
	o.Nodes, o.Schedulers, o.Trouble.Killed, o.Trouble.Late = 5, 2, time.Minute, 0.1
	needs := func(o Options) bool { return o.Trouble.Killed > 0 && o.Nodes >= 2 && o.Lasts >= 2*time.Minute }
	small := shrunk(o, 1000, needs)
	want := Options{Seed: 1, Lasts: 2 * time.Minute, Settles: o.Settles, Nodes: 2, Schedulers: 1, MostJobs: 1,
		Trouble: Trouble{ProcessTrouble: ProcessTrouble{Killed: time.Minute}}}
	if !reflect.DeepEqual(small, want) {
		t.Errorf("it shrinks to %+v, want %+v", small, want)
	}
}
