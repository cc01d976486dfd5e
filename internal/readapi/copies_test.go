package readapi

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// A copy for streams has every decision, and asks only some of many jobs anew why they wait: all of them in turn. One
// for lists asks all.
func TestACopyAsksInTurnWhyJobsWait(t *testing.T) {
	w := newWorld(t)
	const many = 12
	w.decide(func() {
		w.node("n1", 4000)
		for i := range many {
			w.gang("red", fmt.Sprintf("waits-%02d", i), "red", 1, 9000)
		}
	})
	now := time.Unix(0, 0)
	c := newCopies(w, func() time.Time { return now })
	c.within = -time.Second // one is asked
	next := func(need parts) *copied {
		now = now.Add(time.Minute)
		got, err := c.get(context.Background(), need)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	next(ofJobs)
	w.decide(func() {
		w.node("n2", 5000) // the largest node is another one: all wait for another reason
		w.gang("red", "comes", "red", 1, 1000)
	})
	whole := func() (rows []sched.JobReport) {
		if err := w.Ask(context.Background(), Whole, func(e *sched.Engine, m Moment) {
			rows = e.Questions().Jobs()
			addStarts(rows, m)
		}); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	first := next(ofJobs)
	if j := first.Jobs[0]; j.Name != "comes" || j.Tasks[model.Binding] != 1 {
		t.Errorf("what was decided is not in the next copy: %+v", j)
	}
	old := first
	for range many {
		old = next(ofJobs)
	}
	if want := whole(); !reflect.DeepEqual(old.Jobs, want) {
		t.Errorf("after all were asked:\n%+v\nwant\n%+v", old.Jobs, want)
	}
	if reflect.DeepEqual(first.Jobs, old.Jobs) {
		t.Error("the first copy asked all")
	}
	w.decide(func() { w.node("n3", 6000) })
	if got, want := next(ofJobs|ofReasons).Jobs, whole(); !reflect.DeepEqual(got, want) {
		t.Errorf("for a list:\n%+v\nwant\n%+v", got, want)
	}
}

// A job that is made again under its name does not wait for the reason of the one before.
func TestAJobMadeAgainHasAReasonOfItsOwn(t *testing.T) {
	w := newWorld(t)
	w.decide(func() {
		w.node("n1", 4000)
		for i := range 3 {
			w.gang("red", fmt.Sprint("waits-", i), "red", 1, 9000)
		}
	})
	now := time.Unix(0, 0)
	c := newCopies(w, func() time.Time { return now })
	if _, err := c.get(context.Background(), ofJobs|ofReasons); err != nil {
		t.Fatal(err)
	}
	w.decide(func() {
		w.put(model.KindPodGroup, "red", "waits-2", nil)
		w.put(model.KindPod, "red", "waits-2-0", nil)
	})
	w.decide(func() {
		w.gang("red", "waits-2", "red", 1, 7000)
		w.put(model.KindPodGroup, "red", "waits-2", &model.PodGroup{
			Meta: model.Meta{Namespace: "red", Name: "waits-2", UID: "redwaits-2", Created: int64(time.Hour)}, Queue: "red",
			MinMember: 1})
	})
	c.within, now = -time.Second, now.Add(2*time.Second) // the first is asked
	got, err := c.get(context.Background(), ofJobs)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range got.Jobs[2].Reason.Shorts {
		if s.Need == 9000 {
			t.Errorf("job %s waits for %+v, which is the reason of the one before", got.Jobs[2].Name, got.Jobs[2].Reason)
		}
	}
}

// The pods of one job or node are read alone: a page that shows them does not have all pods copied again and again.
func TestFewPodsAreNoCopyOfAll(t *testing.T) {
	w := busyWorld(t)
	s := served(w, people())
	for path, want := range map[string]int{"/v1/pods?namespace=red&job=runs": 2, "/v1/pods?node=n1": 5,
		"/v1/pods?namespace=red&job=runs&node=n1": 2} {
		code, got := get[List](t, s, "admin", path)
		if code != 200 || len(got.Items) != want || got.Cycle != 2 {
			t.Errorf("%s: %d, %d pods, want %d", path, code, len(got.Items), want)
		}
	}
	if n := w.reads[Whole]; n != 0 {
		t.Errorf("all was copied %d times", n)
	}
}

// A list of jobs takes long, since all are asked why they wait. Streams have their next copy as they would without it.
func TestAListHoldsUpNoStream(t *testing.T) {
	w := busyWorld(t)
	now := time.Unix(0, 0)
	c := newCopies(w, func() time.Time { return now })
	first, err := c.get(t.Context(), ofJobs)
	if err != nil {
		t.Fatal(err)
	}
	list, err := c.get(t.Context(), ofJobs|ofReasons)
	if err != nil {
		t.Fatal(err)
	}
	list.due = now.Add(6 * time.Second) // as of 5 000 jobs that wait
	w.decide(nil)
	now = first.due
	if next, err := c.get(t.Context(), ofJobs); err != nil || next.Cycle != first.Cycle+1 {
		t.Errorf("after a list a stream has cycle %d, %v; want the next one", next.Cycle, err)
	}
	if again, err := c.get(t.Context(), ofJobs|ofReasons); err != nil || again != list {
		t.Errorf("the next list is another copy, %v", err)
	}
	if w.reads[Whole] != 2 || w.reads[Reasons] != 1 {
		t.Errorf("%d copies for the stream and %d for lists", w.reads[Whole], w.reads[Reasons])
	}
}
