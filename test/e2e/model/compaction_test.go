package model

import (
	"fmt"
	"strconv"
	"testing"
)

// The history is forgotten on both sides, now and then: what asks for it is refused alike. The real server does without
// its watch cache, which would go on for a while as if nothing were forgotten.
func TestTheModelForgetsAsTheAPIServer(t *testing.T) {
	s := start(t, 1500, "--watch-cache=false")
	s.compacts = 60
	s.run()
	if s.did["compacted"] == 0 || s.did["GET 410"] == 0 || s.did["went on past what is forgotten"] == 0 {
		t.Errorf("nothing was forgotten: %v", s.did)
	}
}

// compact forgets all that was before a version of some object, on both sides.
func (s *script) compact() {
	at := s.subject()
	known := s.sides[0].versions[at.key()]
	if len(known) == 0 {
		return
	}
	n := s.recently(len(known))
	for _, side := range s.sides {
		version, err := strconv.ParseInt(side.versions[at.key()][n], 10, 64)
		if err != nil {
			s.t.Fatal(err)
		}
		if version > side.forgotten {
			side.forgotten = version
			side.forget(version)
		}
	}
	s.did["compacted"]++
	s.recent = append(s.recent, fmt.Sprintf("all before version %s is forgotten", known[n]))
}

// compactAll writes something, and forgets all that was before it.
func (s *script) compactAll() {
	was := []int64{s.sides[0].newest, s.sides[1].newest}
	for range 20 {
		if s.sides[0].newest > was[0] && s.sides[1].newest > was[1] {
			break
		}
		s.step()
	}
	for _, side := range s.sides {
		if side.newest > side.forgotten {
			side.forgotten = side.newest
			side.forget(side.newest)
		}
	}
	s.did["compacted"]++
	s.recent = append(s.recent, "all is forgotten but what is there")
}
