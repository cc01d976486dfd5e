package loop

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	k8stesting "k8s.io/client-go/testing"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// readsVolumes is a configuration that reads kinds of volumes beside what allocateOnly reads.
const readsVolumes = allocateOnly + "  - name: predicates\n"

// mayListAttachments has the API server serve VolumeAttachments, which may be listed once the result is true.
func (w *living) mayListAttachments() *atomic.Bool {
	return w.listsAttachments(apierrors.NewForbidden(storagev1.Resource("volumeattachments"), "", errors.New("no")))
}

// listsAttachments has the API server serve VolumeAttachments, and answer their lists with an error until the result is
// true.
func (w *living) listsAttachments(no error) *atomic.Bool {
	may := &atomic.Bool{}
	w.answers(&w.kube.Fake, "list", "volumeattachments", func(k8stesting.Action) (bool, runtime.Object, error) {
		return !may.Load(), nil, no
	})
	w.kube.PrependWatchReactor("volumeattachments", func(k8stesting.Action) (bool, watch.Interface, error) {
		return !may.Load(), nil, no
	})
	w.kube.Lock()
	defer w.kube.Unlock()
	w.kube.Resources = append(slices.Clone(w.kube.Resources), &metav1.APIResourceList{GroupVersion: "storage.k8s.io/v1",
		APIResources: []metav1.APIResource{{Name: "volumeattachments"}}})
	return may
}

// starts says whether a gang that comes now runs soon.
func (w *living) starts(name string) bool {
	w.group(name, 1, "")
	w.pods(name, 0, 1, "1")
	w.after(soon)
	return w.members(name)[0].Spec.NodeName != ""
}

// A configuration that reads a kind which the role may not list is refused, with the right that is missing, and what
// held before goes on. It is taken once the right is there; another file is taken at once.
func TestAConfigurationThatReadsWhatMayNotBeListed(t *testing.T) {
	for name, ends := range map[string]func(w *living, write func(string), may *atomic.Bool) (taken bool){
		"the right is granted": func(w *living, _ func(string), may *atomic.Bool) bool {
			may.Store(true)
			w.after(2 * time.Minute)
			return true
		},
		"the file from before is written back": func(_ *living, write func(string), _ *atomic.Bool) bool {
			write(allocateOnly)
			return false
		},
		"the file is written anew after the right was granted": func(w *living, write func(string), may *atomic.Bool) bool {
			write(allocateOnly)
			may.Store(true)
			write(readsVolumes)
			w.after(2 * time.Minute)
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			configured(t, allocateOnly, func(w *living, write func(string)) {
				may := w.mayListAttachments()
				if !w.starts("before") {
					t.Fatal("nothing runs before")
				}
				write(readsVolumes)
				status, message, event := w.told()
				if status != corev1.ConditionFalse || event.Reason != configurationRefused || !strings.Contains(message,
					"the scheduler's role has to grant list and watch on volumeattachments.storage.k8s.io") {
					t.Errorf("the condition says %s %q, the event is %q", status, message, event.Reason)
				}
				if got := gaugeOf(w, "ashlar_config_last_reload_success"); got != 0 {
					t.Errorf("ashlar_config_last_reload_success is %v, want 0", got)
				}
				if !w.starts("meanwhile") {
					t.Error("nothing is scheduled while the configuration is refused")
				}
				if missing := w.loop.health.awaits(); missing != "" {
					t.Errorf("it is not ready: %s", missing)
				}
				taken := ends(w, write, may)
				status, message, _ = w.told()
				if got := gaugeOf(w, "ashlar_config_last_reload_success"); status != corev1.ConditionTrue || got != 1 {
					t.Errorf("in the end the condition says %s %q, ashlar_config_last_reload_success %v", status, message, got)
				}
				if reads := w.loop.engine.Reads(translate.KindVolumeAttachment); reads != taken || !w.starts("after") {
					t.Errorf("in the end it reads the kind: %t, want %t; and nothing may wait", reads, taken)
				}
			})
		})
	}
}

// A scheduler that starts with such a configuration decides nothing, and says what it awaits, until another file is
// written.
func TestAFileThatIsMendedAtTheStartHelps(t *testing.T) {
	var may *atomic.Bool
	configuredWith(t, readsVolumes, func(w *living) {
		w.reads = []model.Kind{translate.KindVolumeAttachment}
		may = w.mayListAttachments()
	}, func(w *living, write func(string)) {
		if w.starts("first") || !strings.Contains(w.loop.health.awaits(), "VolumeAttachment (forbidden") {
			t.Errorf("without what it reads it decides, or does not say what it awaits: %q", w.loop.health.awaits())
		}
		write(allocateOnly)
		w.after(soon)
		if w.members("first")[0].Spec.NodeName == "" || !w.starts("second") || w.loop.health.awaits() != "" {
			t.Errorf("with another file it does not go on; it awaits %q", w.loop.health.awaits())
		}
		may.Store(true)
	})
}

// gaugeOf is a metric without labels.
func gaugeOf(w *living, name string) float64 {
	w.Helper()
	families, err := w.loop.metrics.registry.Gather()
	w.must(err)
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	w.Fatalf("there is no metric %s", name)
	return 0
}

// A scheduler that takes over decides nothing by the file from before the last change: the one that acted until then
// went by the new file.
func TestATakeOverAwaitsWhatTheFileReads(t *testing.T) {
	var may, begins *atomic.Bool
	configuredWith(t, allocateOnly, func(w *living) {
		may, begins = w.listsAttachments(apierrors.NewInternalError(errors.New("no"))), &atomic.Bool{}
		w.answers(&w.kube.Fake, "list", "poddisruptionbudgets", func(k8stesting.Action) (bool, runtime.Object, error) {
			return !begins.Load(), nil, apierrors.NewInternalError(errors.New("not yet"))
		})
	}, func(w *living, write func(string)) {
		write(readsVolumes)
		begins.Store(true)
		if w.after(30 * time.Second); w.starts("early") || !strings.Contains(w.loop.health.awaits(), "VolumeAttachment") {
			t.Errorf("it decides by the file from before, or does not say what it awaits: %q", w.loop.health.awaits())
		}
		may.Store(true)
		w.after(2 * time.Minute) // client-go lists again after a pause that it draws, of a minute at most
		if w.members("early")[0].Spec.NodeName == "" || !w.loop.engine.Reads(translate.KindVolumeAttachment) {
			t.Error("it does not go on by the new file")
		}
	})
}

// A configuration that reads a kind of which lists fail is told to be refused after a minute: it is not in force.
func TestAConfigurationThatReadsWhatCannotBeListed(t *testing.T) {
	configured(t, allocateOnly, func(w *living, write func(string)) {
		may := w.listsAttachments(apierrors.NewInternalError(errors.New("etcd")))
		write(readsVolumes)
		w.after(2 * time.Minute)
		if status, message, _ := w.told(); status != corev1.ConditionFalse ||
			!strings.Contains(message, "VolumeAttachment") || gaugeOf(w, "ashlar_config_last_reload_success") != 0 {
			t.Errorf("the condition says %s %q", status, message)
		}
		if !w.starts("meanwhile") {
			t.Error("nothing is scheduled by the file from before")
		}
		may.Store(true)
		w.after(2 * time.Minute)
		if status, message, _ := w.told(); status != corev1.ConditionTrue ||
			gaugeOf(w, "ashlar_config_last_reload_success") != 1 || !w.loop.engine.Reads(translate.KindVolumeAttachment) {
			t.Errorf("in the end the condition says %s %q", status, message)
		}
	})
}
