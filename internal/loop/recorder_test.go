package loop

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
)

// decidesAgain writes what a scheduler has recorded to a file, reads it, and plays it: each cycle has to decide the
// same, byte for byte. It returns how many cycles did.
func decidesAgain(t *testing.T, l *loop) (cycles int) {
	t.Helper()
	taken, ok := l.input.recorder.ring.Take(l.engine)
	if !ok {
		return 0 // it never acted
	}
	path, err := taken.Write(t.TempDir()+"/private", "x"+recording.Ending, recording.Head{Reason: "test"})
	if err != nil {
		t.Fatal(err)
	}
	dumped := taken.Base
	dumped.Facts, dumped.Commitments = l.engine.Facts(), l.engine.Commitments()
	decidesRedacted(t, l, dumped)
	return fileDecidesAgain(t, l, path)
}

// fileDecidesAgain plays a recording of a scheduler with such settings.
func fileDecidesAgain(t *testing.T, l *loop, path string) (cycles int) {
	t.Helper()
	r, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	player := recording.Player{Make: func(s recording.Setting) (*sched.Engine, error) {
		c := &configuration{mode: l.conf.mode, offset: s.UTCOffset, plugins: l.conf.plugins, selectors: l.conf.selectors}
		if c.takeDefault(); s.Configuration != "" {
			if err := c.take([]byte(s.Configuration)); err != nil {
				return nil, err
			}
		}
		return c.engine(l.o)
	},
		After: func(*recording.Played) error { cycles++; return nil }}
	d, err := player.Play(r.Base, r.Next)
	if err != nil {
		t.Errorf("what was recorded cannot be played: %v", err)
	}
	if d != nil {
		t.Errorf("what was recorded is decided otherwise: %v", d)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return cycles
}

// What is recorded has a bound: the oldest is dropped, and what is left begins with what was known and decided then.
func TestARecordingHasABound(t *testing.T) {
	inVirtualTimeWith(t, 1, func(w *living) { w.options.Recording.Memory = 16 << 10 }, func(w *living) {
		w.refuse("h-1")
		for i := range 20 {
			w.gang("1")
			w.group("h", 2, hasty)
			w.pods("h", 0, 2, "1")
			w.after(time.Minute)
			w.delete("g-0", "g-1", "h-0", "h-1")
			for _, name := range []string{"g", "h"} {
				w.must(w.groups.Delete(groupsKind, "ns", name))
			}
			w.after(time.Duration(i) * time.Second)
		}
		taken, ok := w.loop.input.recorder.ring.Take(w.loop.engine)
		if !ok || taken.Len() == 0 {
			t.Fatal("nothing is recorded")
		}
		first := uint64(0)
		for s := range taken.Steps {
			if first == 0 && s.Cycle != nil {
				first = s.Cycle.Number
			}
		}
		if n := decidesAgain(t, w.loop); first < 2 || n < 10 {
			t.Errorf("it begins with cycle %d and has %d cycles, want the oldest dropped and some kept", first, n)
		}
	})
}

// A recording of a scheduler that took over begins with what its predecessor left: members that are bound, and a record
// of a refusal.
func TestARecordingBeginsWithATakeOver(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.refuse("g-3")
		w.gangOf4()
		w.after(20 * time.Second)
		w.restart()
		w.refuse("")
		w.after(10 * time.Minute)
		if w.bound("g") != 4 {
			t.Fatalf("%d members are bound, want 4", w.bound("g"))
		}
		taken, ok := w.loop.input.recorder.ring.Take(w.loop.engine)
		if !ok || taken.Base.Commitments.PastEvictionsFrom == 0 {
			t.Fatal("the recording does not begin with a take-over")
		}
		if n := decidesAgain(t, w.loop); n < 10 {
			t.Errorf("%d cycles are recorded, want all since the take-over", n)
		}
	})
}

// No environment, command or Secret of a pod comes into a recording, whatever the pod asks for.
func TestARecordingHasNoSecrets(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		secret := "hunter2"
		w.group("g", 1, noOwner)
		p := waiting("g-0")
		p.Annotations = map[string]string{schedulingv1beta1.KubeGroupNameAnnotationKey: "g", "note": secret}
		p.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "PASSWORD", Value: secret}}
		p.Spec.Containers[0].Command = []string{"run", secret}
		p.Spec.Containers[0].Args = []string{secret}
		p.Spec.Volumes = []corev1.Volume{
			{Name: "s", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: secret}}},
			{Name: "c", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{
				ClaimName: "data"}}}}
		w.must(w.core.Create(podsKind, p, "ns"))
		w.after(10 * time.Second)
		taken, ok := w.loop.input.recorder.ring.Take(w.loop.engine)
		if !ok {
			t.Fatal("nothing is recorded")
		}
		var text strings.Builder
		out := json.NewEncoder(&text)
		w.must(out.Encode(taken.Base))
		for s := range taken.Steps {
			w.must(out.Encode(s))
		}
		if !strings.Contains(text.String(), `"g-0"`) || !strings.Contains(text.String(), `"data"`) {
			t.Fatal("the pod and its claim are not recorded")
		}
		if at := strings.Index(text.String(), secret); at >= 0 {
			t.Errorf("it is recorded: %.300s", text.String()[max(0, at-200):])
		}
	})
}

// With a folder the recording is in files, too, of which each is decided again; together they have a bound.
func TestARecordingOnDisk(t *testing.T) {
	dir := t.TempDir() + "/flight"
	inVirtualTimeWith(t, 1, func(w *living) { w.options.Recording = Recording{Dir: dir, Disk: 24 << 10} },
		func(w *living) {
			for range 30 {
				w.gang("1")
				w.after(time.Minute)
				w.delete("g-0", "g-1")
				w.must(w.groups.Delete(groupsKind, "ns", "g"))
				w.after(time.Minute)
			}
			l := w.loop
			w.restart() // ends what writes
			files, err := filepath.Glob(dir + "/ashlar-flight-*")
			if err != nil || len(files) < 2 || strings.Contains(files[0], "-001"+recording.Ending) {
				t.Fatalf("%v: there are %v, want several, and the first one gone", err, files)
			}
			bytes := int64(0)
			for _, f := range files[:len(files)-1] {
				about, err := os.Stat(f)
				if err != nil || about.Mode().Perm() != 0o600 {
					t.Errorf("%v: the mode of %s is %v, want 0600", err, f, about.Mode())
				}
				bytes += about.Size()
				if n := fileDecidesAgain(t, l, f); n == 0 {
					t.Errorf("%s has no cycle", f)
				}
			}
			if bytes > 24<<10 {
				t.Errorf("the files have %d bytes, want at most %d", bytes, 24<<10)
			}
		})
}

// A folder that others may write to is refused, at the start, with what to do.
func TestARecordingOnDiskIsPrivate(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	l := (&loop{o: Options{Recording: Recording{Dir: dir}}, metrics: newMetrics()}).wire()
	if err := l.input.recorder.start(); err == nil || !strings.Contains(err.Error(), "0700") {
		t.Errorf("%v, want that others may write there", err)
	}
}

// decidesRedacted redacts a state: it has none of the names, and what is decided is the same but for them.
func decidesRedacted(t *testing.T, l *loop, s recording.State) {
	t.Helper()
	r, err := recording.Redact(s)
	if err != nil {
		t.Fatal(err)
	}
	if r.Plain > 0 {
		return
	}
	decide := func(s recording.State) []sched.Item {
		e, err := l.conf.engine(l.o)
		if err != nil {
			t.Fatal(err)
		}
		e.Apply(s.Facts...)
		e.Restore(s.Commitments)
		plan, _, _ := e.Decide(s.Now)
		return plan.Items
	}
	was, is := decide(s), decide(r.State)
	if len(was) != len(is) {
		t.Errorf("redacted %d items are decided, want %d", len(is), len(was))
		return
	}
	name := func(s string) string { return cmp.Or(r.Names[s], s) }
	for i := range was {
		want := was[i]
		want.Pod.Namespace, want.Pod.Name = name(want.Pod.Namespace), name(want.Pod.Name)
		want.Group.Namespace, want.Group.Name = name(want.Group.Namespace), name(want.Group.Name)
		want.UID, want.Node, want.Record = name(want.UID), name(want.Node), nil
		got := is[i]
		if got.Record = nil; !reflect.DeepEqual(got, want) {
			t.Errorf("redacted item %d is %+v, want %+v", i+1, got, want)
		}
	}
}
