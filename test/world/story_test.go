package world

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// story keeps what was logged, to tell what led to something: the lines about the objects that it names, and those
// about the world as a whole.
type story struct{ lines []string }

func newStory() *story { return &story{} }

func (s *story) hear(line string) { s.lines = append(s.lines, line) }

// requests are lines about a request. Of its path, what says which object it is about is told; of its body, nothing.
var requests = regexp.MustCompile(
	`^(\S+ )\d+ (scheduler-\S+) /apis?(?:/[^/ ]+)?/v[^/ ]+/(?:namespaces/)?(\S+) (\S+) .*`)

// longestStory is how many lines are told, the last ones.
const longestStory = 120

// text tells what led to something that is wrong.
func (s *story) text(wrong string) string {
	var about []string
	for word := range strings.FieldsFuncSeq(wrong, func(r rune) bool { return strings.ContainsRune(" ,;:()\"", r) }) {
		word = strings.TrimPrefix(word, userNamespace+"/")
		if len(word) > 5 && strings.Contains(word, "-") && !isScheduler(word) { // all that one did is too much
			about = append(about, word)
		}
	}
	var told []string
	for _, line := range s.lines {
		request := strings.Contains(line, " /api")
		mentions := slices.ContainsFunc(about, func(word string) bool { return strings.Contains(line, word) })
		world := !request && !strings.Contains(line, " is changed") && !strings.Contains(line, " is made") &&
			!strings.Contains(line, " is gone")
		if world || mentions && !strings.Contains(line, " GET ") && !strings.Contains(line, "/events POST") {
			told = append(told, "  "+requests.ReplaceAllString(line, "$1$2 sends $4 $3"))
		}
		if strings.Contains(line, "WRONG: ") {
			break
		}
	}
	left := max(0, len(told)-longestStory)
	if left > 0 {
		told = append([]string{fmt.Sprintf("  (%d lines before)", left)}, told[left:]...)
	}
	return strings.Join(told, "\n")
}

// A story tells what befell the objects that are named, and the world, and nothing else.
func TestAStoryTellsWhatLedToIt(t *testing.T) {
	s := newStory()
	for _, line := range []string{
		"0s scheduler-0.0 starts",
		"1s world: pods team/job-1-0 is made Pending",
		"1s world: pods team/job-2-0 is made Pending",
		"2s 2000 scheduler-0.0 /api/v1/namespaces/team/pods/job-2-0/binding POST  00",
		"2s 2000 scheduler-0.0 /api/v1/namespaces/team/pods/job-2-0 GET  00",
		"2s scheduler-0.0: pods team/job-2-0 is changed node-1 Pending",
		"2s scheduler-0.0: podgroups team/job-1 is changed Running",
		"3s WRONG: scheduler-0.0 bound pod team/job-2-0 for the 2. time",
		"4s scheduler-0.0 is killed",
	} {
		s.hear(line)
	}
	want := []string{"0s scheduler-0.0 starts", "1s world: pods team/job-2-0 is made Pending",
		"2s scheduler-0.0 sends POST team/pods/job-2-0/binding",
		"2s scheduler-0.0: pods team/job-2-0 is changed node-1 Pending",
		"3s WRONG: scheduler-0.0 bound pod team/job-2-0 for the 2. time"}
	if got := s.text("3s: scheduler-0.0 bound pod team/job-2-0 for the 2. time"); got != "  "+strings.Join(want, "\n  ") {
		t.Errorf("it tells\n%s", got)
	}
}
