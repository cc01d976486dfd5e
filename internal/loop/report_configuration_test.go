package loop

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/readapi"
	"ashlar.sh/sched"
)

const allocateOnly = "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: gang\n"

// configured is a cluster in virtual time with a scheduler in the pod ns/self, and its configuration in a file.
func configured(t *testing.T, text string, do func(w *living, write func(text string))) {
	t.Helper()
	configuredWith(t, text, func(*living) {}, do)
}

// configuredWith is configured with something changed before the scheduler starts.
func configuredWith(t *testing.T, text string, prepare func(*living), do func(w *living, write func(text string))) {
	t.Helper()
	folder := t.TempDir()
	file, token := filepath.Join(folder, "conf"), filepath.Join(folder, "token")
	put := func(file, text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(file, text)
	claims := `{"kubernetes.io":{"namespace":"ns","pod":{"name":"self","uid":"self"}}}`
	put(token, "e30."+base64.RawURLEncoding.EncodeToString([]byte(claims))+".c2ln")
	inVirtualTimeWith(t, 1, func(w *living) {
		w.must(w.core.Create(podsKind, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "self", UID: "self"},
			Spec: corev1.PodSpec{SchedulerName: "default-scheduler", NodeName: "n0"}}, "ns"))
		w.options.ConfigFile, w.options.FallBack, w.token = file, true, token
		prepare(w)
	}, func(w *living) {
		do(w, func(text string) {
			put(file, text)
			w.after(soon)
		})
	})
}

// told are the status and message of the condition of the scheduler's pod, and its last event.
func (w *living) told() (status corev1.ConditionStatus, message string, event corev1.Event) {
	w.Helper()
	o, err := w.core.Get(podsKind, "ns", "self")
	w.must(err)
	for _, c := range o.(*corev1.Pod).Status.Conditions {
		if c.Type == ConfigurationAccepted {
			status, message = c.Status, c.Message
		}
	}
	list, err := w.kube.CoreV1().Events("ns").List(w.Context(), metav1.ListOptions{})
	w.must(err)
	for _, e := range list.Items {
		if e.InvolvedObject.UID == "self" && e.FirstTimestamp.After(event.FirstTimestamp.Time) {
			event = e
		}
	}
	return status, message, event
}

// A configuration that is refused is an event and a condition of the scheduler's own pod, until one is taken; and that
// one says what it changes.
func TestWhatBecomesOfANewConfigurationIsTold(t *testing.T) {
	configured(t, enqueueOnly, func(w *living, write func(string)) {
		if status, _, event := w.told(); status != corev1.ConditionTrue || event.Reason != "" {
			t.Errorf("at the start its condition is %q, with the event %q; want True and none", status, event.Reason)
		}
		write("actions: \"enqueu\"\n")
		status, message, event := w.told()
		if status != corev1.ConditionFalse || !strings.Contains(message, `conf:1: unknown action "enqueu"`) {
			t.Errorf("of a refused file the condition says %s %q", status, message)
		}
		if event.Type != corev1.EventTypeWarning || event.Reason != configurationRefused || event.Message != message {
			t.Errorf("of a refused file the event is %s %s %q", event.Type, event.Reason, event.Message)
		}
		if w.loop.health.config.Refused == "" {
			t.Error("/configz does not say that the file is refused")
		}
		write(allocateOnly)
		status, message, event = w.told()
		const want = `actions: "allocate", were "enqueue"`
		if status != corev1.ConditionTrue || message != want || event.Message != want ||
			event.Type != corev1.EventTypeNormal {
			t.Errorf("of a file that is taken the condition says %s %q, the event %s %q; want %q", status, message,
				event.Type, event.Message, want)
		}
		if w.loop.health.config.Refused != "" {
			t.Error("/configz still says that the file is refused")
		}
	})
}

// When summer time begins the hours of what holds are others; a file that is refused stays refused.
func TestSummerTimeAcceptsNoFile(t *testing.T) {
	const zoned = enqueueOnly + "  - name: tdm\n    arguments: {tdm.revocable-zone.rz: \"9:00-18:00\"}\n"
	configured(t, zoned, func(w *living, write func(string)) {
		write("actions: \"enqueu\"\n")
		engine := w.loop.engine
		summer := time.FixedZone("summer", 2*60*60)
		if _, err := w.loop.background.questions.ask(w.Context(), func(*sched.Engine, readapi.Moment) { // in the loop
			w.loop.conf.zone = summer
		}); err != nil {
			w.Fatal(err)
		}
		w.after(soon)
		if w.loop.engine == engine {
			t.Fatal("summer time changes nothing")
		}
		if status, message, _ := w.told(); status != corev1.ConditionFalse || w.loop.health.config.Refused == "" {
			t.Errorf("the condition says %s %q, /configz %q", status, message, w.loop.health.config.Refused)
		}
	})
}

// As vc-scheduler a file that cannot be used at the start is replaced by Volcano's default, and the pod says so.
func TestAConfigurationRefusedAtTheStartIsTold(t *testing.T) {
	configured(t, "actions: [\n", func(w *living, write func(string)) {
		status, message, event := w.told()
		if status != corev1.ConditionFalse || !strings.HasSuffix(message, "Volcano's default holds.") ||
			event.Reason != configurationRefused {
			t.Errorf("the condition says %s %q, the event is %q", status, message, event.Reason)
		}
		write(allocateOnly)
		status, message, _ = w.told()
		if status != corev1.ConditionTrue || !strings.Contains(message, "plugin drf: removed") {
			t.Errorf("of the mended file the condition says %s %q", status, message)
		}
	})
}

// A counter that an alert watches is shown as 0 before anything is counted: of one that begins at 1 Prometheus sees no
// increase.
func TestCountersBeginAtZero(t *testing.T) {
	families, err := newMetrics().registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetName() + "=" + l.GetValue()
			}
			shown = append(shown, name)
		}
	}
	for _, want := range []string{"ashlar_panics_total", "ashlar_released_pods_total", "ashlar_config_last_reload_success",
		"ashlar_config_reloads_total result=error", "ashlar_invariant_violations_total invariant=nodes",
		"ashlar_invariant_violations_total invariant=gangs", "ashlar_invariant_violations_total invariant=records",
		"ashlar_plan_items_total kind=bind outcome=failed", "volcano_schedule_attempts_total result=scheduled"} {
		if !slices.Contains(shown, want) {
			t.Errorf("%s is not shown before it counts; shown are %q", want, shown)
		}
	}
}
