package booking

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

func tell(l *ledger.Ledger, kind model.Kind, name string, version uint64, o model.Object) {
	l.Apply(model.Fact{Ref: model.Ref{Kind: kind, Name: name}, UID: name, Version: version, Object: o})
}

// A booking that was given up says nothing of when tasks may start, as in an engine that never knew it.
func TestABookingThatIsGoneHasNoWindows(t *testing.T) {
	l := ledger.New()
	tell(l, model.KindNode, "n1", 1, &model.Node{Meta: model.Meta{Name: "n1"}})
	tell(l, model.KindBooking, "b", 2, &model.Booking{Meta: model.Meta{Name: "b"}, Maintenance: true,
		Windows: []model.Window{{From: 50, To: 90}}})
	p := &plugin{l: l}
	p.At(10)
	if next := p.StartAt(20); next != 90 {
		t.Fatalf("a start at 20 is looked for again at %d, want 90, when the window ends", next)
	}
	tell(l, model.KindBooking, "b", 3, nil)
	p.At(30)
	if next := p.StartAt(40); next != 0 {
		t.Errorf("without bookings a start at 40 is looked for again at %d", next)
	}
}

// BenchmarkPlace is what finding the nodes of a booking of many nodes costs.
func BenchmarkPlace(b *testing.B) {
	l := ledger.New()
	for i := range 10_000 {
		name := fmt.Sprintf("node-%05d", i)
		tell(l, model.KindNode, name, uint64(i+1), &model.Node{Meta: model.Meta{Name: name}})
	}
	tell(l, model.KindBooking, "b", 20_000, &model.Booking{Meta: model.Meta{Name: "b"}, Count: 1000,
		Windows: []model.Window{{From: 50, To: 90}}})
	p := &plugin{l: l}
	for b.Loop() {
		p.until = 0
		p.place()
	}
}
