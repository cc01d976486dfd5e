package model

import (
	"fmt"
	"strconv"
	"testing"

	"ashlar.sh/test/e2e/cluster"
)

// The history is forgotten on both sides, now and then: what asks for it is refused alike. The real server does without
// its watch cache, which would go on for a while as if nothing were forgotten.
func TestTheModelForgetsAsTheAPIServer(t *testing.T) {
	s := start(t, cluster.Options{Flags: map[string][]string{"kube-apiserver": {"--watch-cache=false",
		"--etcd-compaction-interval=0"}}}, 1500)
	s.compacts = 60
	s.run()
	if s.did["compacted"] == 0 || s.did["GET 410"] == 0 {
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
