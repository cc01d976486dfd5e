package persisted_test

import (
	"math"
	"strings"
	"testing"

	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/sched/model"
)

func TestWhereAPodWasLetRunIsReadAsItWasWritten(t *testing.T) {
	for _, want := range []model.Charge{
		{Queue: "q", Job: "g"},
		{Queue: "q", Job: "web", Adopted: true, Owner: "ReplicaSet.apps/1"},
		{Queue: "q", Job: "bare", Adopted: true},
	} {
		text, err := persisted.ChargeText(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := persisted.ReadCharge(text); err != nil || got != want {
			t.Errorf("%s is read as %+v, %v", text, got, err)
		}
	}
	if _, err := persisted.ChargeText(model.Charge{Queue: "q", Job: "web", Adopted: true,
		Owner: strings.Repeat("u", 1<<17)}); err == nil {
		t.Error("a record of 128 KiB is written")
	}
}

func TestWhatIsNoRecordOfWhereAPodWasLetRun(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":           "",
		"garbage":           "yes",
		"no queue":          `{"podGroup":"g"}`,
		"no job":            `{"queue":"q"}`,
		"two jobs":          `{"queue":"q","podGroup":"g","name":"web"}`,
		"an owned PodGroup": `{"queue":"q","podGroup":"g","owner":"B/1"}`,
		"a field that only a newer version knows": `{"queue":"q","podGroup":"g","until":"soon"}`,
		"two of them": `{"queue":"q","podGroup":"g"}{"queue":"r","podGroup":"g"}`,
		"too long":    `{"queue":"` + strings.Repeat("q", 1<<16) + `","podGroup":"g"}`,
	} {
		if r, err := persisted.ReadCharge(text); err == nil {
			t.Errorf("%s: read as %+v", name, r)
		}
	}
}

func TestTheMinimumsThatAJobHadAreReadAsTheyWereWritten(t *testing.T) {
	for _, want := range []model.Had{{}, {Known: true}, {Known: true, Job: 8, Role: 4, Sub: 2},
		{Known: true, Job: math.MaxInt32, Role: math.MaxInt32, Sub: math.MaxInt32}} {
		if got := persisted.ReadHad(persisted.HadReason(want)); got != want {
			t.Errorf("%q is read as %+v, want %+v", persisted.HadReason(want), got, want)
		}
	}
	for _, text := range []string{"", "QueueKept", "MinMember8", "MinMember-8.Task0.SubGroup0",
		"MinMember08.Task0.SubGroup0",
		"MinMember8.Task4.SubGroup2.", "MinMember2147483648.Task0.SubGroup0", "MinMember 8.Task4.SubGroup2"} {
		if got := persisted.ReadHad(text); got != (model.Had{}) {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}
