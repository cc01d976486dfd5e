package story

import (
	"fmt"
	"strings"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/model"
)

// booking books nodes in advance, or changes what is booked:
//
//	booking disks maintenance from=1h to=2h nodes=n1,n2
//	booking demo owner=queue:ml from=10m to=20m label=pool:a count=2 flex
//	booking nights maintenance cron=0_22_*_*_* zone=Europe/Berlin for=8h
//
// Times are virtual ones; those of cron are of 1970. Of several owners all have to hold.
var bookingVerb = verb{syntax: "booking NAME maintenance|owner=queue:Q|namespace:NS|group:NS/NAME|user:U " +
	"from=DURATION to=DURATION|cron=0_22_*_*_* [zone=ZONE] for=DURATION [nodes=NODE,…] [label=KEY:VALUE] [count=N] " +
	"[flex] [ignore-running] [delay=DURATION] [drain=DURATION] [purge=DURATION] [fault=FIELD]", do: book}

func book(s *stage, w *words) error {
	name, err := w.name("the booking's name")
	if err != nil {
		return err
	}
	b := &model.Booking{Meta: model.Meta{Name: name}, DrainBefore: int64(24 * time.Hour)}
	from, to := time.Duration(0), time.Duration(0)
	for _, word := range w.all {
		switch key, value := option(word); key {
		case "from":
			from, err = duration(key, value)
		case "to":
			to, err = duration(key, value)
		case "cron", "zone", "for":
			err = recurs(b, key, value)
		default:
			err = bookingOption(b, key, value)
		}
		if err != nil {
			return err
		}
	}
	if b.Every == nil {
		b.Windows = []model.Window{{From: int64(from), To: int64(to)}}
	}
	s.appear(model.KindBooking, sim.Item{Fact: model.Fact{Object: b}})
	return nil
}

func bookingOption(b *model.Booking, key, value string) (err error) {
	switch key {
	case "maintenance":
		b.Maintenance = true
	case "owner":
		err = ownerOf(&b.Owner, key, value)
	case "nodes":
		b.Selector = append(b.Selector, model.Requirement{Key: "metadata.name", Field: true, Op: model.In,
			Values: strings.Split(value, ",")})
	case "label":
		var r model.Requirement
		r, err = requirement(key, value)
		b.Selector = append(b.Selector, r)
	case "count":
		b.Count, err = number(key, value)
	case "flex":
		b.Flex = true
	case "ignore-running":
		b.IgnoreRunning = true
	case "delay", "drain", "purge":
		var d time.Duration
		d, err = duration(key, value)
		*map[string]*int64{"delay": &b.StartDelay, "drain": &b.DrainBefore, "purge": &b.PurgeAfter}[key] = int64(d)
	case "fault":
		b.Faults = fault(value)
	default:
		err = unknown(key)
	}
	return err
}

func ownerOf(o *model.BookingOwner, key, value string) error {
	what, name, err := pair(key, value)
	switch what {
	case "queue":
		o.Queue = name
	case "namespace":
		o.Namespace = name
	case "group":
		o.Namespace, o.Group, _ = strings.Cut(name, "/")
	case "user":
		o.User = name
	default:
		return fmt.Errorf("%s: %q is not queue:, namespace:, group: or user:", key, value)
	}
	return err
}

func recurs(b *model.Booking, key, value string) (err error) {
	if b.Every == nil {
		b.Every = &model.Recurrence{}
	}
	switch key {
	case "cron":
		b.Every.Cron = strings.ReplaceAll(value, "_", " ")
	case "zone":
		b.Every.Zone = value
	default:
		var d time.Duration
		d, err = duration(key, value)
		b.Every.Lasts = int64(d)
	}
	return err
}
