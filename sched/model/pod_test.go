package model

import (
	"reflect"
	"testing"
)

// Of what nodes, users and schedulers did with a pod nothing is left in the one that its controller makes in its place.
func TestAPodThatIsMadeAnew(t *testing.T) {
	made := &Pod{Meta: Meta{Namespace: "ns", Name: "p", UID: "one", Created: 5}, Group: "g", Gated: true,
		QueueGate: QueueGateShut, Preemptable: true}
	made.SetRare(Times{Lasts: 7})
	ran := *made
	ran.Node, ran.Nominated, ran.Phase, ran.Deleting = "n", "n", PodRunning, true
	ran.Started, ran.Healthy, ran.Gated, ran.QueueGate = 8, true, false, QueueGateOpen
	ran.SetRare(Times{Lasts: 7, GoneBy: 11, Charge: &Charge{Queue: "q", Job: "g"}})
	want := *made
	want.UID, want.Created = "two", 9
	if again := ran.Anew("two", 9); !reflect.DeepEqual(again, &want) {
		t.Errorf("%+v, want %+v", again, want)
	}
	plain := &Pod{Meta: Meta{UID: "one"}, Node: "n"}
	if again := plain.Anew("two", 9); again.Gated || again.QueueGate != NoQueueGate || again.Times != nil {
		t.Errorf("a pod without a gate has one: %+v", again)
	}
}
