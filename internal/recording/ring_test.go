package recording_test

import (
	"errors"
	"io"
	"testing"

	"ashlar.sh/internal/recording"
	"ashlar.sh/sched/model"
)

// A fact that is older than what is known changes nothing, and is not recorded: an engine that begins with the
// recording knows of no newer one, and would take it in.
func TestAFactThatIsIgnoredIsNotRecorded(t *testing.T) {
	n := newNight(t)
	n.pod("train-0", "a", model.PodRunning, "n1")
	n.tell(model.KindPod, "train-0", "a", nil)
	n.at(10)
	n.facts = 0 // what comes now is older
	n.pod("train-0", "a", model.PodRunning, "n1")
	n.facts = 2
	n.pod("train-1", "b", model.PodPending, "")
	n.at(20)
	r, err := recording.Open(n.saved())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	var got []string
	for {
		step, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range step.Facts {
			got = append(got, f.Ref.Name)
		}
	}
	if len(got) != 1 || got[0] != "train-1" {
		t.Errorf("recorded are facts about %q, want train-1 alone", got)
	}
}
