package world

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/test/world/apimodel"
)

// mine are the annotations that schedulers may change.
var mine = []string{"ashlar.sh/"}

// keeps checks that a scheduler changes nothing of what is others': of a spec only where a pod runs, and of annotations
// and labels only its own.
func (c *checker) keeps(write apimodel.Write) {
	if !isScheduler(write.Client) || write.Before == nil || write.After == nil {
		return
	}
	before, after := maps.Clone(asMap(write.Before.Object["spec"])), maps.Clone(asMap(write.After.Object["spec"]))
	for _, m := range []map[string]any{before, after} {
		delete(m, "nodeName")
		delete(m, "schedulingGates")
	}
	if !reflect.DeepEqual(before, after) {
		c.w.wrong("%s changed the spec of %s %s", write.Client, write.Kind.Resource, write.Key())
	}
	for _, of := range []string{"annotations", "labels"} {
		was, is := asMap(asMap(write.Before.Object["metadata"])[of]), asMap(asMap(write.After.Object["metadata"])[of])
		for k, v := range was {
			own := slices.ContainsFunc(mine, func(prefix string) bool { return strings.HasPrefix(k, prefix) })
			if !own && is[k] != v {
				c.w.wrong("%s changed the %s of %s %s: %s", write.Client, of, write.Kind.Resource, write.Key(), k)
			}
		}
	}
}

func asMap(o any) map[string]any {
	m, _ := o.(map[string]any)
	return m
}

// counted bounds how often schedulers write to one life of a pod or a PodGroup.
func (c *checker) counted(write apimodel.Write) {
	m := write.After.Meta()
	c.writes[m.GetUID()]++
	n := c.writes[m.GetUID()]
	c.w.result.MostWrites = max(c.w.result.MostWrites, n)
	if c.born[m.GetUID()].IsZero() {
		c.born[m.GetUID()] = time.Now()
	}
	lived := time.Since(c.born[m.GetUID()])
	most := fewWrites + int(lived/manyWrites)
	if g := c.gangs[string(m.GetUID())]; g != nil {
		most += goneWrites * g.gone
	}
	if n > most {
		c.w.wrong("%s %s was written to %d times in %s", write.Kind.Resource, write.Key(), n, lived)
	}
}

// saidAgain is how long after another client wrote over the status of a PodGroup a scheduler says once more what it had
// said: it takes its words for said for five minutes, from its last ones, which answer the other client's in seconds.
const saidAgain = 5*time.Minute + 30*time.Second

// repeats follows which statuses others wrote over, and which of these schedulers restored when nothing else happened.
// So it does the events that a job of a queue has waited for an hour, one a queue: a tenant's jobs wait for good, and
// look as old as the API server's clock was behind when they were made. And what one queue has taken from another since
// that was told is told an hour later, on both; so is a need of a queue that ended and came again within that hour.
type repeats struct {
	over   map[types.UID]time.Time // when another client last wrote over a PodGroup's status
	needs  map[string]time.Time    // when a need of a queue was last told, by its reason and the queue's UID
	resets map[string]bool         // by kind and UID: one write of the PodGroup, and one event about it
	number int
}

func newRepeats() repeats {
	return repeats{map[types.UID]time.Time{}, map[string]time.Time{}, map[string]bool{}, 0}
}

// rest begins the time in which nothing else is written.
func (r *repeats) rest() { clear(r.resets) }

// toldLate says that an event about a queue may come an hour after what it tells of, and of what it tells; "" of
// others.
func toldLate(event *apimodel.Stored) string {
	switch reason := text(event.Object, "reason"); {
	case reason == "JobsWait":
		return "waits "
	case reason == "Evict" && text(event.Object, "involvedObject", "kind") == "Queue":
		return text(event.Object, "message") + " "
	default:
		return ""
	}
}

// toldAgain says that an event tells a need of a queue that was told an hour before.
func (r *repeats) toldAgain(event *apimodel.Stored) bool {
	if text(event.Object, "involvedObject", "kind") != "Queue" {
		return false
	}
	need := text(event.Object, "reason") + " " + text(event.Object, "involvedObject", "uid")
	last, told := r.needs[need]
	r.needs[need] = time.Now()
	return told && time.Since(last) >= time.Hour
}

func (r *repeats) wrote(write apimodel.Write) {
	if write.After == nil {
		return
	}
	uid := write.After.Meta().GetUID()
	switch write.Kind.Resource {
	case "events":
		if !isScheduler(write.Client) {
			break
		}
		if r.toldAgain(write.After) {
			r.number++
			return
		}
		uid = types.UID(text(write.After.Object, "involvedObject", "uid"))
		if key := toldLate(write.After) + string(uid); key != string(uid) && !r.resets[key] {
			r.resets[key] = true
			r.number++
			return
		}
	case "podgroups":
		if isScheduler(write.Client) {
			break
		}
		if write.Before != nil && !reflect.DeepEqual(write.Before.Object["status"], write.After.Object["status"]) {
			r.over[uid] = time.Now()
		}
		return
	default:
		return
	}
	key := write.Kind.Resource + " " + string(uid)
	if at, is := r.over[uid]; is && isScheduler(write.Client) && time.Since(at) <= saidAgain && !r.resets[key] {
		r.resets[key] = true
		r.number++
	}
}

// What another client wrote over is said again, once, with one event, and for no longer than it takes.
func TestWhatIsWrittenOverIsSaidAgainOnce(t *testing.T) {
	group := func(phase string) *apimodel.Stored {
		return &apimodel.Stored{Object: map[string]any{"metadata": map[string]any{"uid": "g"},
			"status": map[string]any{"phase": phase}}}
	}
	waits := &apimodel.Stored{Object: map[string]any{"metadata": map[string]any{"uid": "w"}, "reason": "JobsWait",
		"involvedObject": map[string]any{"uid": "q"}}}
	event := &apimodel.Stored{Object: map[string]any{"metadata": map[string]any{"uid": "e"},
		"involvedObject": map[string]any{"uid": "g"}}}
	groups, events := &apimodel.Kind{}, &apimodel.Kind{}
	groups.Resource, events.Resource = "podgroups", "events"
	said := apimodel.Write{Client: "scheduler-0.0", Kind: groups, Before: group("Running"), After: group("Pending")}
	hour := apimodel.Write{Client: "scheduler-0.0", Kind: events, After: waits}
	told := apimodel.Write{Client: "scheduler-0.0", Kind: events, After: event}
	need := apimodel.Write{Client: "scheduler-0.0", Kind: events, After: &apimodel.Stored{Object: map[string]any{
		"reason": "NotHeeded", "involvedObject": map[string]any{"kind": "Queue", "uid": "q"}}}}
	synctest.Test(t, func(t *testing.T) {
		r := newRepeats()
		expect := func(n int, when string, writes ...apimodel.Write) {
			for _, w := range writes {
				r.wrote(w)
			}
			if r.number != n {
				t.Errorf("%s: %d writes say something again, want %d", when, r.number, n)
			}
		}
		expect(0, "before another client wrote", said, told)
		expect(0, "its own write", apimodel.Write{Client: "tenant", Kind: groups, Before: group("Pending"),
			After: group("Running")})
		pass(saidAgain)
		expect(2, "once", said, told)
		expect(2, "twice", said, told)
		r.rest()
		pass(time.Second)
		expect(2, "too late", said, told)
		expect(3, "a job that has waited for an hour", hour, hour)
		expect(3, "what a queue needs", need)
		pass(time.Hour - time.Second)
		expect(3, "that too early", need)
		pass(time.Hour)
		expect(4, "that an hour later", need, need)
	})
}
