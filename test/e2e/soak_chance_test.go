package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/test/e2e/faults"
)

// chance is something that may happen in a soak, so often among the others.
type chance struct {
	name string
	odds int
	do   func(s *soak)
}

var soakChances = []chance{
	{"a gang comes", 30, func(s *soak) {
		if len(s.gangs) < mostGangs {
			s.submit(fmt.Sprintf("work-%d", s.lives))
		}
	}},
	{"a gang goes", 12, withGang(func(s *soak, g *soakGang) { s.remove(g) })},
	{"a gang is made anew under its name", 8, withGang(func(s *soak, g *soakGang) { s.remove(g); s.submit(g.name) })},
	{"a pod is made anew under its name", 12, withGang(func(s *soak, g *soakGang) {
		i := s.random.IntN(g.members)
		s.spare(g)
		s.removePod(fmt.Sprintf("%s-%d", g.name, i), nil, s.random.IntN(4) > 0)
		s.pod(g, i)
	})},
	{"a pod goes", 4, withGang(func(s *soak, g *soakGang) {
		s.spare(g)
		s.removePod(fmt.Sprintf("%s-%d", g.name, s.random.IntN(g.members)), nil, s.random.IntN(2) == 0)
	})},
	{"a PodGroup is made anew under its name", 8, withGang(func(s *soak, g *soakGang) {
		s.spare(g)
		s.removeGroup(g)
		s.group(g)
	})},
	{"a queue changes", 3, func(s *soak) {
		patch := fmt.Sprintf(`{"spec":{"weight":%d}}`, 1+s.random.IntN(4))
		_, err := s.dynamic.Resource(queueResource).Patch(s.ctx(), s.queues[s.random.IntN(len(s.queues))],
			types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		s.fine(err)
	}},
	{"a node is cordoned", 3, func(s *soak) { s.cordon(s.anyNode(), true) }},
	{"a node is open again", 4, func(s *soak) { s.cordon(s.anyNode(), false) }},
	{"a node goes", 2, func(s *soak) { s.goes(s.anyNode()) }},
	{"a node comes", 3, func(s *soak) { s.comes(s.anyNode()) }},
	{"the scheduler is killed", 1, (*soak).kill},
	{"the scheduler is asked to end", 1, func(s *soak) { s.replace(false) }},
	{"another scheduler takes over", 1, func(s *soak) { s.replace(true) }},
	{"the scheduler stands still", 1, (*soak).pauses},
	{"requests fail", 6, func(s *soak) {
		f := soakFaults[s.random.IntN(len(soakFaults))]
		s.injected = append(s.injected, s.scheduler.proxy.Inject(f.matches, 1+s.random.IntN(3), 1+s.random.IntN(f.most),
			f.fault))
	}},
	{"watches are dropped", 2, func(s *soak) { s.scheduler.proxy.DropWatches() }},
	{"watches are dropped and a list is needed", 2, func(s *soak) {
		s.injected = append(s.injected, s.scheduler.proxy.Inject(faults.Watch, 1, 3+s.random.IntN(6),
			faults.Refuse(410, metav1.StatusReasonExpired, 0)))
		s.scheduler.proxy.DropWatches()
	}},
	{"connections are reset", 1, func(s *soak) { s.scheduler.proxy.ResetConnections() }},
	{"a kind is heard of late", 2, func(s *soak) {
		kind := []string{"pods", "podgroups", "nodes", "queues"}[s.random.IntN(4)]
		until := time.Now().Add(time.Duration(200+s.random.IntN(2000)) * time.Millisecond)
		s.held = append(s.held, heldWatch{until, s.scheduler.proxy.HoldWatches(kind)})
	}},
}

func withGang(do func(*soak, *soakGang)) func(*soak) {
	return func(s *soak) {
		if g := s.any(); g != nil {
			do(s, g)
		}
	}
}

// soakFaults are what may become of requests, a bounded number of them each time.
var soakFaults = []struct {
	matches func(*http.Request) bool
	most    int
	fault   faults.Fault
}{
	{faults.Binding, 8, faults.Refuse(409, metav1.StatusReasonConflict, 0)},
	{faults.Binding, 3, faults.Refuse(403, metav1.StatusReasonForbidden, 0)},
	{faults.Binding, 8, faults.LoseAnswer},
	{faults.Binding, 8, faults.Lose},
	{faults.Binding, 1, faults.Silence},
	{faults.Write, 10, faults.Refuse(429, metav1.StatusReasonTooManyRequests, 1)},
	{faults.Write, 10, faults.Refuse(500, metav1.StatusReasonInternalError, 0)},
	{faults.Write, 10, faults.LoseAnswer},
	{faults.Write, 10, faults.Delay(200 * time.Millisecond)},
	{faults.GroupWrite, 8, faults.Refuse(409, metav1.StatusReasonConflict, 0)},
	{faults.GroupWrite, 8, faults.LoseAnswer},
	{deletesPod, 4, faults.Refuse(500, metav1.StatusReasonInternalError, 0)},
	{deletesPod, 4, faults.LoseAnswer},
	{func(r *http.Request) bool {
		return r.Method == http.MethodGet && !faults.Watch(r) && !leased(r)
	}, 10, faults.Refuse(500, metav1.StatusReasonInternalError, 0)},
}

func leased(r *http.Request) bool { return strings.Contains(r.URL.Path, "/leases") }

// something happens.
func (s *soak) something() {
	s.t.Helper()
	sum := 0
	for _, c := range soakChances {
		sum += c.odds
	}
	drawn := s.random.IntN(sum)
	for _, c := range soakChances {
		if drawn -= c.odds; drawn < 0 {
			c.do(s)
			s.did[c.name]++
			return
		}
	}
}

func (s *soak) anyNode() string {
	names := slices.Sorted(maps.Keys(s.nodes))
	return names[s.random.IntN(len(names))]
}
