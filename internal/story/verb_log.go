package story

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ashlar.sh/internal/explain"
)

// log prints the log lines of the last cycle up to a level, 3 to 5, each after its
// level; a word keeps the lines that contain it:
//
//	log 4 Format
//
// What is printed with a job's phase or a queue's figures is said better by jobs and
// queues: log is for stories about the log.
var logVerb = verb{syntax: "log LEVEL [WORD]", ask: logLines}

func logLines(s *stage, w *words) ([]string, error) {
	text, _ := w.next()
	most, err := strconv.Atoi(text)
	if err != nil {
		return nil, errors.New("the level is missing: 3, 4 or 5")
	}
	keep, _ := w.next()
	if s.cycles == 0 {
		return nil, errors.New("no cycle has run yet: put one before it")
	}
	var out []string
	for _, e := range s.events {
		level, lines := explain.Log(e)
		for _, l := range strings.Split(lines, "\n") {
			if l != "" && level <= most && strings.Contains(l, keep) {
				out = append(out, fmt.Sprintf("V%d %s", level, l))
			}
		}
	}
	return out, w.end()
}

// verbosity is the highest level that a line of the story asks for.
func (s *Story) verbosity() int {
	most := 0
	for _, p := range s.parts {
		if p.verb == "log" && len(p.args) > 0 {
			level, _ := strconv.Atoi(p.args[0])
			most = max(most, level)
		}
	}
	return most
}
