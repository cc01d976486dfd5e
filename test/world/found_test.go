package world

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// found is how many worlds a defect may survive.
const found = 200

// foundFile has, for each defect, some worlds that found it: those that took the least time first. They are tried
// before all others, which saves time, no more: which world finds what changes with the code. With findVariable set to
// "write" TestDefectsAreFound writes it anew.
const foundFile = "testdata/found.txt"

// foundKept is how many worlds are kept for a defect, if so many find it among those that are tried for that.
const (
	foundKept = 3
	keptAfter = 12
)

// What a scheduler must not do is found out: each of these defects within some worlds, without knowing the scheduler.
// A world in which one is found is clean without it, until then.
func TestDefectsAreFound(t *testing.T) {
	clean := map[string]time.Duration{} // until when, by world
	keeps, writes, all := 1, os.Getenv(findVariable) == "write", defects()
	if writes {
		keeps = foundKept
	}
	for _, what := range slices.Sorted(maps.Keys(all)) {
		t.Run(what, func(t *testing.T) {
			var finds []find
			for tried, world := range worldsFor(t, what, setting(t, seedsVariable, found)) {
				if f, is := finding(t, world, all[what]()); is {
					finds = append(finds, f)
				}
				if len(finds) == keeps || len(finds) > 0 && tried+1 >= keptAfter {
					break
				}
			}
			if len(finds) == 0 {
				t.Fatalf("not found in %d worlds", setting(t, seedsVariable, found))
			}
			slices.SortStableFunc(finds, func(a, b find) int { return cmp.Compare(a.hours, b.hours) })
			if writes {
				keep(t, what, finds)
			}
			t.Logf("found in world %d: %s", finds[0].world, finds[0].wrong)
			without, until := finds[0].without, time.Duration(finds[0].hours*float64(time.Hour))
			world := fmt.Sprintf("%+v", without)
			if clean[world] >= until {
				return
			}
			without.Breaks.ends = until
			if wrong := run(t, without).Wrong; len(wrong) > 0 {
				t.Errorf("and without the defect: %s", strings.Join(wrong, "; "))
			}
			clean[world] = until
		})
	}
}

// keep writes to foundFile in which worlds a defect is found, in the place of what that said.
func keep(t *testing.T, defect string, finds []find) {
	t.Helper()
	text, err := os.ReadFile(foundFile)
	if err != nil {
		t.Fatal(err)
	}
	out := strings.Builder{}
	for line := range strings.Lines(string(text)) {
		if _, what, _ := strings.Cut(strings.TrimSpace(line), " "); what != defect && defects()[what] != nil {
			out.WriteString(line)
		}
	}
	for _, f := range finds {
		fmt.Fprintf(&out, "%d %s\n", f.world, defect)
	}
	if err := os.WriteFile(foundFile, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// find is a world in which a defect was found.
type find struct {
	world   uint64
	wrong   string
	hours   float64 // of the world's time, until it was found
	without Options // the world without the defect
}

// finding looks for a defect in a world.
func finding(t *testing.T, world uint64, breaks Breaks) (f find, is bool) {
	t.Helper()
	o := disturbed(world)
	if breaks.world != nil {
		breaks.world(&o)
	}
	f.world, f.without = world, o
	shows := func(wrong string) bool { return strings.Contains(wrong, breaks.shows) }
	o.Breaks, o.Enough = breaks, shows
	r := run(t, o)
	at := slices.IndexFunc(r.Wrong, shows)
	if at < 0 {
		return f, false
	}
	f.wrong, f.hours = r.Wrong[at], r.Hours
	return f, true
}

// worldsFor are the worlds 1 to n, those in which a defect was found before first.
func worldsFor(t *testing.T, defect string, n uint64) (worlds []uint64) {
	t.Helper()
	text, err := os.ReadFile(foundFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		number, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		if world, err := strconv.ParseUint(number, 10, 64); err == nil && what == defect {
			worlds = append(worlds, world)
		}
	}
	for world := uint64(1); world <= n; world++ {
		if !slices.Contains(worlds, world) {
			worlds = append(worlds, world)
		}
	}
	return worlds
}
