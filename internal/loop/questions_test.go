package loop

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/kubernetes/fake"
	volcano "volcano.sh/apis/pkg/client/clientset/versioned/fake"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/internal/readapi"
	"ashlar.sh/sched"
	"ashlar.sh/sched/policy"
)

// answeringLoop is a loop that decides nothing and answers questions until the test ends.
func answeringLoop(t *testing.T) *loop {
	t.Helper()
	return answeringAfter(t, 0)
}

// answeringAfter is a loop that answers each question after so long.
func answeringAfter(t *testing.T, d time.Duration) *loop {
	t.Helper()
	e, err := sched.New(policy.Profile{})
	if err != nil {
		t.Fatal(err)
	}
	l := (&loop{engine: e, metrics: newMetrics(), health: &health{}, lead: &leadership{}, acting: true,
		began: time.Now()}).wire()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	go func() {
		for {
			select {
			case q := <-l.background.questions.asked:
				if d > 0 {
					<-time.After(d)
				}
				l.background.questions.reply(q)
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Cleanup(func() { stop(); synctest.Wait() })
	return l
}

// A scheduler keeps the time that its machine's clock showed when it began, whatever that is set to: all that it tells
// of times is by that one, and after a question that panicked it answers again in a minute.
func TestAnswersAreByTheTimeOfTheLoop(t *testing.T) {
	for _, off := range []time.Duration{0, -time.Hour, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			l := answeringLoop(t)
			l.o.Simulated.Ahead = off
			q := l.background.questions
			q.decided()
			<-time.After(3 * time.Second)
			now := time.Unix(0, l.now())
			if s := q.State(); s.Age != "3s" || !s.Decided.Equal(now.Add(-3*time.Second)) {
				t.Errorf("off by %s, the last cycle was %s ago, at %s, want 3 s before %s", off, s.Age, s.Decided, now)
			}
			if err := q.Ask(t.Context(), readapi.Brief, func(_ *sched.Engine, m readapi.Moment) {
				if !m.At.Equal(now) {
					t.Errorf("off by %s, an answer is about %s, want %s", off, m.At, now)
				}
			}); err != nil {
				t.Error(err)
			}
			if err := q.Ask(t.Context(), readapi.Brief, func(*sched.Engine, readapi.Moment) { panic("a bug") }); err == nil {
				t.Error("a question that panics is answered")
			}
			if <-time.After(afterFailure + time.Second); q.Ready() != nil {
				t.Errorf("off by %s, it answers nothing after a minute: %v", off, q.Ready())
			}
		})
	}
}

// takes is a question that costs so much of the loop's time.
func takes(d time.Duration) func(*sched.Engine, readapi.Moment) {
	return func(*sched.Engine, readapi.Moment) { <-time.After(d) }
}

// However many ask, the loop spends its share on them and no more; brief questions do not wait for whole ones.
func TestQuestionsHaveAShareOfTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := answeringLoop(t).background.questions
		q.decided()
		ask := func(size readapi.Size, cost time.Duration) (waited time.Duration) {
			t.Helper()
			began := time.Now()
			if err := q.Ask(t.Context(), size, takes(cost)); err != nil {
				t.Fatal(err)
			}
			return time.Since(began) - cost
		}
		if w := ask(readapi.Whole, 100*time.Millisecond); w != 0 {
			t.Errorf("the first one waits %s", w)
		}
		if w := ask(readapi.Brief, time.Millisecond); w != 0 {
			t.Errorf("a brief one waits %s for a whole one", w)
		}
		if w := ask(readapi.Whole, 100*time.Millisecond); w < 3900*time.Millisecond {
			t.Errorf("the next whole one waits %s, want 39 times what the first took", w)
		}
		ask(readapi.Brief, 200*time.Millisecond) // what was saved up
		began, spent := time.Now(), time.Duration(0)
		for time.Since(began) < 10*time.Second {
			ask(readapi.Brief, time.Millisecond)
			spent += time.Millisecond
		}
		if part := float64(spent) / float64(time.Since(began)); part > 0.052 {
			t.Errorf("brief questions take %.3f of the time, want a twentieth", part)
		}
	})
}

// A client that gives up while it waits for its turn costs nothing.
func TestAQuestionThatIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := answeringLoop(t).background.questions
		q.decided()
		if err := q.Ask(t.Context(), readapi.Whole, takes(time.Second)); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		ran := false
		err := q.Ask(ctx, readapi.Whole, func(*sched.Engine, readapi.Moment) { ran = true })
		var unready *readapi.Unready
		if !errors.As(err, &unready) || unready.Reason != readapi.Busy || ran {
			t.Errorf("%v, and it ran: %v", err, ran)
		}
		if err := q.Ask(t.Context(), readapi.Brief, takes(0)); err != nil {
			t.Errorf("another one: %v", err)
		}
	})
}

// What does not act answers nothing, and says why.
func TestQuestionsBeforeItActs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := answeringLoop(t)
		q := l.background.questions
		ask := func() readapi.Unreadiness {
			var unready *readapi.Unready
			if errors.As(q.Ask(t.Context(), readapi.Brief, takes(0)), &unready) {
				return unready.Reason
			}
			return ""
		}
		l.health.synced(false, []string{"pods"})
		if got := q.Ready(); got == nil || got.Reason != readapi.Starting || !strings.Contains(got.Message, "pods") {
			t.Errorf("before the first lists: %+v", got)
		}
		q.decided()
		if got := ask(); got != "" {
			t.Errorf("after a cycle: %s", got)
		}
		l.rebuilds.blind = true
		if got := ask(); got != readapi.Starting {
			t.Errorf("while its engine is made anew: %q", got)
		}
		l.rebuilds.blind = false
		q.failed.Store(time.Now().UnixNano())
		if got := ask(); got != readapi.Failed {
			t.Errorf("after a question made it panic: %q", got)
		}
		<-time.After(afterFailure)
		if got := ask(); got != "" {
			t.Errorf("a minute later: %q", got)
		}
		q.end(nil)
		if got := ask(); got != readapi.Ending {
			t.Errorf("at the end: %q", got)
		}
	})
}

// A question that panics ends with an error. The engine is made anew, and no question is answered for a while.
func TestAQuestionThatPanics(t *testing.T) {
	seen, err := observe.New(observe.Options{Kube: fake.NewClientset(), Volcano: volcano.NewSimpleClientset()})
	if err != nil {
		t.Fatal(err)
	}
	l := (&loop{observer: seen, metrics: newMetrics(), reported: newReported(), began: time.Now(), acting: true,
		lead: &leadership{}, health: &health{}, o: Options{DumpDir: t.TempDir()}.withDefaults(),
		conf: &configuration{profile: policy.Profile{Actions: []string{"allocate"}}}}).wire()
	if l.engine, err = l.conf.engine(l.o); err != nil {
		t.Fatal(err)
	}
	q := l.background.questions
	q.decided()
	before := l.engine
	asked := &question{ctx: t.Context(), answer: make(chan error, 1),
		read: func(*sched.Engine, readapi.Moment) { panic("in a question") }}
	q.reply(asked)
	var unready *readapi.Unready
	if err := <-asked.answer; !errors.As(err, &unready) || unready.Reason != readapi.Failed {
		t.Errorf("%v", err)
	}
	if l.engine == before || l.rebuilds.blind {
		t.Error("the engine that a question has left in the middle is still in use")
	}
	if got := q.Ready(); got == nil || got.Reason != readapi.Failed {
		t.Errorf("right after it: %+v", got)
	}
}
