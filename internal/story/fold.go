package story

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// deed is something that was decided for a pod: bind ml/train-0 n1. text stands alone
// when there is no pod.
type deed struct {
	verb, stem string // stem: the pod's name without its number, or all of it
	number     int    // -1 without
	where      string // a node
	preemptor  string // of an eviction: the pod that gets the room
	text       string
}

func deedOf(verb, pod, where string) deed {
	d := deed{verb: verb, stem: pod, number: -1, where: where}
	if i := strings.LastIndexByte(pod, '-'); i >= 0 {
		if n, err := strconv.Atoi(pod[i+1:]); err == nil && strconv.Itoa(n) == pod[i+1:] {
			d.stem, d.number = pod[:i+1], n
		}
	}
	return d
}

// folded prints deeds in their order; neighbours that differ by a number that goes up
// by one become one line: bind ml/train-0..2 n1.
func folded(deeds []deed) []string {
	return lines(deeds, func(a, b deed) bool { return a.where == b.where && a.preemptor == b.preemptor })
}

// digest prints deeds by pod, in order, with the nodes of those that are numbered in a
// row: bind ml/train-0..2 n1 n2.
func digest(deeds []deed) []string {
	sorted := slices.Clone(deeds)
	slices.SortStableFunc(sorted, func(a, b deed) int {
		return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.verb, b.verb), cmp.Compare(a.stem, b.stem),
			cmp.Compare(a.number, b.number))
	})
	return lines(sorted, func(deed, deed) bool { return true })
}

// lines prints runs of deeds about pods numbered in a row, as far as together allows.
func lines(deeds []deed, together func(a, b deed) bool) []string {
	var out []string
	for i := 0; i < len(deeds); {
		n := i + 1
		for n < len(deeds) && next(deeds[n-1], deeds[n]) && together(deeds[n-1], deeds[n]) {
			n++
		}
		out = append(out, line(deeds[i:n]))
		i = n
	}
	return out
}

// next says that b is about the pod after a's.
func next(a, b deed) bool {
	return a.text == "" && b.text == "" && a.number >= 0 && a.verb == b.verb && a.stem == b.stem && b.number == a.number+1
}

func line(run []deed) string {
	first, last := run[0], run[len(run)-1]
	if first.text != "" {
		return first.text
	}
	name := first.stem
	if first.number >= 0 {
		name += strconv.Itoa(first.number)
	}
	if last.number > first.number {
		name += fmt.Sprintf("..%d", last.number)
	}
	var where, pods []string
	for _, d := range run {
		where, pods = append(where, d.where), append(pods, d.preemptor)
	}
	text := strings.TrimSpace(fmt.Sprintf("%s %s %s", first.verb, name, each(where)))
	if preemptors := each(pods); preemptors != "" {
		text += " for " + preemptors
	}
	return text
}

// each is every one of a list once, in order.
func each(list []string) string {
	slices.Sort(list)
	return strings.TrimSpace(strings.Join(slices.Compact(list), " "))
}
