package translate_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/kube/api"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

func booked(change func(*api.BookingSpec)) *model.Booking {
	b := &api.Booking{ObjectMeta: metav1.ObjectMeta{Name: "b"}, Spec: api.BookingSpec{Maintenance: true,
		Nodes: api.BookingNodes{Selector: &metav1.LabelSelector{}},
		From:  "2026-03-01T14:00:00Z", To: "2026-03-01T17:00:00+01:00"}}
	change(&b.Spec)
	return translate.Booking(b)
}

func TestABookingOfNodes(t *testing.T) {
	b := booked(func(*api.BookingSpec) {})
	if _, bad := b.SetAside(); bad {
		t.Fatalf("it is set aside: %v", b.Faults)
	}
	from := time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC).UnixNano()
	if want := (model.Window{From: from, To: from + int64(2*time.Hour)}); len(b.Windows) != 1 || b.Windows[0] != want {
		t.Errorf("its windows are %v, want %v", b.Windows, want)
	}
	if b.DrainBefore != int64(24*time.Hour) || b.StartDelay != 0 || b.Every != nil {
		t.Errorf("by default pods without a limit are kept off %s before", time.Duration(b.DrainBefore))
	}
	b = booked(func(s *api.BookingSpec) {
		s.From, s.To, s.Schedule, s.Duration, s.TimeZone = "", "", "0 22 * * *", "8h", "Europe/Berlin"
		s.Maintenance, s.Owner = false, &api.BookingOwner{Namespace: "ml", PodGroup: "train"}
		s.Flex, s.MaxStartDelay, s.DrainBefore, s.Nodes.Count, s.PurgeAfterIdle = true, "5m", "0s", 3, "10m"
	})
	want := model.Recurrence{Cron: "0 22 * * *", Zone: "Europe/Berlin", Lasts: int64(8 * time.Hour)}
	if b.Every == nil || *b.Every != want || len(b.Faults) > 0 {
		t.Errorf("it recurs as %v, want %v (%v)", b.Every, want, b.Faults)
	}
	if b.Owner != (model.BookingOwner{Namespace: "ml", Group: "train"}) || !b.Flex || b.Count != 3 || b.DrainBefore != 0 ||
		b.StartDelay != int64(5*time.Minute) || b.PurgeAfter != int64(10*time.Minute) {
		t.Errorf("it is read as %+v", b)
	}
}

func TestABookingThatMakesNoSense(t *testing.T) {
	owner := func(s *api.BookingSpec) { s.Maintenance, s.Owner = false, &api.BookingOwner{Queue: "ml"} }
	cron := func(s *api.BookingSpec, schedule string) {
		s.From, s.To, s.Schedule, s.Duration = "", "", schedule, "1h"
	}
	for name, c := range map[string]struct {
		change func(*api.BookingSpec)
		field  string
	}{
		"for nothing":          {func(s *api.BookingSpec) { s.Maintenance = false }, "spec"},
		"for both":             {func(s *api.BookingSpec) { s.Owner = &api.BookingOwner{Queue: "ml"} }, "spec"},
		"an empty owner":       {func(s *api.BookingSpec) { owner(s); s.Owner.Queue = "" }, "spec.owner"},
		"no namespace":         {func(s *api.BookingSpec) { owner(s); s.Owner.PodGroup = "train" }, "spec.owner.podGroup"},
		"a count of nodes":     {func(s *api.BookingSpec) { s.Nodes.Count = 1 }, "spec.nodes.count"},
		"a negative count":     {func(s *api.BookingSpec) { owner(s); s.Nodes.Count = -1 }, "spec.nodes.count"},
		"flexible maintenance": {func(s *api.BookingSpec) { s.Flex = true }, "spec.flex"},
		"no selector":          {func(s *api.BookingSpec) { s.Nodes.Selector = nil }, "spec.nodes.selector"},
		"ends before it starts": {func(s *api.BookingSpec) { s.To = "2026-03-01T13:59:59Z" },
			"spec.to"},
		"no time":          {func(s *api.BookingSpec) { s.From = "tomorrow" }, "spec.from"},
		"no end":           {func(s *api.BookingSpec) { s.To = "" }, "spec.to"},
		"never":            {func(s *api.BookingSpec) { cron(s, "0 0 30 2 *") }, "spec.schedule"},
		"both times":       {func(s *api.BookingSpec) { s.Schedule, s.Duration = "0 0 * * *", "1h" }, "spec"},
		"no time at all":   {func(s *api.BookingSpec) { s.From, s.To = "", "" }, "spec"},
		"of no duration":   {func(s *api.BookingSpec) { cron(s, "0 0 * * *"); s.Duration = "0s" }, "spec.duration"},
		"ended at once":    {func(s *api.BookingSpec) { owner(s); s.PurgeAfterIdle = "0s" }, "spec.purgeAfterIdle"},
		"idle maintenance": {func(s *api.BookingSpec) { s.PurgeAfterIdle = "1h" }, "spec.purgeAfterIdle"},
		"a negative delay": {func(s *api.BookingSpec) { s.MaxStartDelay = "-1s" }, "spec.maxStartDelay"},
		"an absurd one":    {func(s *api.BookingSpec) { s.DrainBefore = "2000000h" }, "spec.drainBefore"},
	} {
		t.Run(name, func(t *testing.T) {
			fault, bad := booked(c.change).SetAside()
			if !bad || fault.Field != c.field || strings.TrimSpace(fault.Message) == "" {
				t.Errorf("it is set aside %v for %q: %s; want for %q", bad, fault.Field, fault.Message, c.field)
			}
		})
	}
}
