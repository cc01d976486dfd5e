package explain

import (
	"fmt"
	"strings"
	"time"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// Start is when a waiting job starts if nothing new comes, as it was estimated. Times are RFC 3339; "" where they are
// not known. Earliest is by guesses of how long pods run, of which Source is the least certain; Latest is by their
// limits.
type Start struct {
	Made     string `json:"made,omitempty"`
	Earliest string `json:"earliest,omitempty"`
	Latest   string `json:"latest,omitempty"`
	Source   string `json:"source,omitempty"`
	// Unknown is the code of why one of both is not known; Jobs are the jobs, namespace/name, of which no end is known,
	// the first few, and More is how many more there are.
	Unknown string   `json:"unknown,omitempty"`
	Jobs    []string `json:"jobs,omitempty"`
	More    int      `json:"more,omitempty"`
	// Deadline is when the job's controller ends it, where it might not have started by then.
	Deadline string `json:"deadline,omitempty"`
	// First is the latest start that was estimated first, and Slip by how much Latest is later now.
	First   string   `json:"first,omitempty"`
	Slip    Duration `json:"slip,omitempty"`
	Message string   `json:"message"`
}

// NewStart renders an estimate as it is told at a time in nanoseconds since the epoch; nil where there is none.
func NewStart(s *trace.Start, now int64) *Start {
	out := start(s)
	if out != nil && now-s.Made >= int64(time.Second) {
		out.Message += ", as was estimated " + age(now-s.Made) + " ago"
	}
	return out
}

// known says that one end of the range is known.
func (s *Start) known() bool { return s != nil && (s.Earliest != "" || s.Latest != "") }

// cell is the range in a table, as times from now: "in 10m", "in 10m-40m", "in 10m-?" where the latest time is not
// known, "?" where neither is, and "never" where the job does not start by itself.
func (s *Start) cell(now int64) string {
	from, to := fromNow(s.Earliest, now), fromNow(s.Latest, now)
	switch {
	case from == "" && to == "" && s.Unknown == string(trace.DoesNotStart):
		return "never"
	case from == "" && to == "":
		return "?"
	case from == "" || from == to:
		return "in " + to
	case to == "":
		return "in " + from + "-?"
	}
	return "in " + from + "-" + to
}

// fromNow is how long it is until a time as documents have it; "" where it is none.
func fromNow(moment string, now int64) string {
	at, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		return ""
	}
	return age(max(0, at.UnixNano()-now))
}

func start(s *trace.Start) *Start {
	if !s.Is() {
		return nil
	}
	out := &Start{Made: moment(s.Made), Earliest: moment(s.Earliest), Latest: moment(s.Latest), Unknown: string(s.Unknown),
		Jobs: s.Jobs, More: s.More, First: moment(s.First), Slip: Duration(s.Slip), Message: StartSentence(s)}
	if s.Earliest != 0 {
		out.Source = s.Source.String()
	}
	if may, _ := s.Late(); may {
		out.Deadline = moment(s.Deadline)
	}
	return out
}

// StartSentence says when a job starts, or why that is not known.
func StartSentence(s *trace.Start) string {
	text := ""
	switch {
	case s.Earliest != 0 && s.Latest != 0 && s.Latest-s.Earliest < int64(time.Second):
		text = fmt.Sprintf("it starts about %s if nothing new comes", moment(s.Latest))
	case s.Earliest != 0 && s.Latest != 0:
		text = fmt.Sprintf("it starts between %s and %s if nothing new comes", moment(s.Earliest), moment(s.Latest))
	case s.Earliest != 0:
		text = fmt.Sprintf("it starts about %s if nothing new comes and guesses are right; how late it may be is not known: "+
			"%s", moment(s.Earliest), unknown(s, "limit"))
	case s.Unknown == trace.DoesNotStart:
		return "it does not start by itself" + because(&s.Reason)
	default:
		return "when it starts is not known: " + unknown(s, "end")
	}
	if s.Earliest != 0 && s.Latest != 0 && s.Source < model.TimeEnforced {
		guess := "guesses"
		if s.Source == model.TimePredicted {
			guess = "what earlier runs took"
		}
		text += ", by " + guess + " and by limits of how long pods run"
	}
	if may, does := s.Late(); may {
		word := "may end"
		if does {
			word = "ends"
		}
		text += fmt.Sprintf("; its Job %s before that: at %s, by spec.activeDeadlineSeconds, which runs while it waits", word,
			moment(s.Deadline))
	}
	if s.Slip >= int64(time.Second) {
		text += fmt.Sprintf("; that is %s later than it was estimated first", age(s.Slip))
	}
	return text
}

func because(r *trace.Reason) string {
	if !r.Is() {
		return ""
	}
	return ", whichever pods end: " + innermost(*r)
}

// unknown says why a start is not known. what is what running pods lack.
func unknown(s *trace.Start, what string) string {
	switch s.Unknown {
	case trace.EndsUnknown:
		if len(s.Jobs) == 0 {
			return fmt.Sprintf("pods that hold what it needs have no known %s", what)
		}
		more := ""
		if s.More > 0 {
			more = fmt.Sprintf(" and %d more", s.More)
		}
		verb := "pods of %s%s hold what it may need, and have no known %s"
		return fmt.Sprintf(verb, strings.Join(s.Jobs, ", "), more, what)
	case trace.DoesNotStart:
		return "with limits it does not start by itself" + because(&s.Reason)
	case trace.NotReached:
		return fmt.Sprintf("the estimate ends at %s, and it has not started then", moment(s.Until))
	case trace.PodsNotMade:
		return "its pods are not made yet"
	case trace.Passed:
		return fmt.Sprintf("it was to start by %s, which has passed", moment(s.Until))
	case trace.NotEstimated:
		return "it came after the last estimate"
	}
	return string(s.Unknown)
}
