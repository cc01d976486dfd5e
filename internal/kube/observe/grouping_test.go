package observe

import (
	"testing"
	"testing/synctest"
	"time"
)

// How long the next pod without a PodGroup waits, after what happened to others.
func TestHowLongPodsWaitForTheirPodGroups(t *testing.T) {
	after := func(d time.Duration) { <-time.After(d) }
	for name, c := range map[string]struct {
		happens func(g *grouping)
		want    time.Duration
	}{
		"nothing is known": {func(*grouping) {}, firstPatience},
		"no controller makes PodGroups": {func(g *grouping) {
			g.holdsFor("a")
			after(firstPatience)
			g.late("a")
		}, 0},
		"they come at once": {func(g *grouping) {
			g.holdsFor("a")
			after(100 * time.Millisecond)
			g.grouped("a")
		}, firstPatience},
		"they come slowly": {func(g *grouping) {
			g.holdsFor("a")
			after(3 * time.Second)
			g.grouped("a")
		}, 12 * time.Second},
		"one came after its pod was given up": {func(g *grouping) {
			g.holdsFor("a")
			after(firstPatience)
			g.late("a")
			after(time.Second)
			g.grouped("a")
		}, slack * firstPatience},
		"they came a moment ago and now do not": {func(g *grouping) {
			g.holdsFor("a")
			after(time.Second)
			g.grouped("a")
			after(time.Second)
			g.holdsFor("b")
			after(firstPatience)
			g.late("b")
		}, 2 * firstPatience},
		"one pod gets none while others do": {func(g *grouping) {
			g.holdsFor("a")
			g.holdsFor("b")
			after(time.Second)
			g.grouped("b")
			after(firstPatience)
			g.late("a")
		}, firstPatience},
		"they came long ago": {func(g *grouping) {
			g.holdsFor("a")
			g.grouped("a")
			after(time.Hour)
			g.holdsFor("b")
			after(firstPatience)
			g.late("b")
		}, 0},
		"it is never longer than a minute": {func(g *grouping) {
			g.holdsFor("a")
			after(time.Hour)
			g.grouped("a")
		}, mostPatience},
		"a pod went before its PodGroup came": {func(g *grouping) {
			g.holdsFor("a")
			g.gone("a")
			g.late("a")
		}, firstPatience},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGrouping()
				c.happens(g)
				if got := g.holdsFor("next"); got != c.want {
					t.Errorf("the next pod waits %v, want %v", got, c.want)
				}
				if n := len(g.since); n > 1 {
					t.Errorf("%d pods are remembered, want the next one at most", n)
				}
			})
		})
	}
}
