package session

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/victims"
)

// Jobs that starve and ask for the same are asked for together: who finds nobody to leave
// for one of them finds nobody for any. They are kept in parties from cycle to cycle; a job
// is looked at again only after something touched it, or the facts of a queue changed. That
// holds where plugins judge a job by itself (policy.OfJobAlone).

// Party is jobs that starve and whose pleas are equal, in no order that may be decided by;
// there is at least one.
type Party struct {
	Plea victims.Plea
	Jobs []ledger.JobID
}

// Starver is what is found out of a job that may starve.
type Starver struct {
	Starves bool
	Plea    victims.Plea
	Alike   bool // all jobs that starve with this plea get the same answer
}

// starvers are the parties, and the jobs that starve and are like no other.
type starvers struct {
	on      bool   // somebody asked for them
	granted uint64 // mark of ledger.Granted
	news    []ledger.JobID
	seats   []chair // by job
	parties []*Party
	of      map[victims.Plea]*Party
	alone   []ledger.JobID
}

// chair is where a job is kept.
type chair struct {
	party *Party
	at    int32 // in the party, or in alone
	alone bool
	fresh bool // it is among the news
}

// Starvers are the jobs that starve: parties of those that are alike, and those that are
// like no other. look is asked about jobs that were touched. The slices are good until the
// next question.
func (s *Session) Starvers(look func(ledger.JobID) Starver) ([]*Party, []ledger.JobID) {
	s.stir()
	v := &s.starve
	changed, mark, known := s.L.Granted(v.granted)
	v.granted = mark
	if !v.on || !known || len(changed) > 0 {
		v.on = true
		for _, j := range s.L.Active() {
			v.touch(j)
		}
	}
	for _, j := range v.news {
		v.rise(j)
		v.seats[j].fresh = false
		if !s.L.Wants(j) {
			continue
		}
		if x := look(j); x.Starves {
			v.sit(j, x)
		}
	}
	v.news = v.news[:0]
	return v.parties, v.alone
}

// touch notes that a job is to be looked at.
func (v *starvers) touch(j ledger.JobID) {
	if !v.on {
		return
	}
	for int(j) >= len(v.seats) {
		v.seats = append(v.seats, chair{})
	}
	if !v.seats[j].fresh {
		v.seats[j].fresh = true
		v.news = append(v.news, j)
	}
}

// sit puts a job that starves where it belongs.
func (v *starvers) sit(j ledger.JobID, x Starver) {
	if !x.Alike {
		v.seats[j].alone, v.seats[j].at = true, int32(len(v.alone))
		v.alone = append(v.alone, j)
		return
	}
	p := v.of[x.Plea]
	if p == nil {
		if v.of == nil {
			v.of = map[victims.Plea]*Party{}
		}
		p = &Party{Plea: x.Plea}
		v.of[x.Plea] = p
		v.parties = append(v.parties, p)
	}
	v.seats[j].party, v.seats[j].at = p, int32(len(p.Jobs))
	p.Jobs = append(p.Jobs, j)
}

// rise takes a job away from where it is.
func (v *starvers) rise(j ledger.JobID) {
	seat := &v.seats[j]
	from := &v.alone
	switch {
	case seat.party != nil:
		from = &seat.party.Jobs
	case !seat.alone:
		return
	}
	last := (*from)[len(*from)-1]
	(*from)[seat.at], v.seats[last].at = last, seat.at
	*from = (*from)[:len(*from)-1]
	if p := seat.party; p != nil && len(p.Jobs) == 0 {
		delete(v.of, p.Plea)
		v.parties = slices.DeleteFunc(v.parties, func(o *Party) bool { return o == p })
	}
	seat.party, seat.alone = nil, false
}
