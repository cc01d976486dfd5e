package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// expectState returns an error for what is no saved state, so that it is not decided on as an empty cluster.
func expectState(data []byte) error {
	trimmed := bytes.TrimSpace(data)
	if len(trimmed) == 0 {
		return errEmpty
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(trimmed, &fields); err != nil {
		return notJSON(trimmed, err)
	}
	if newer := tooNew(trimmed); newer != nil {
		return newer
	}
	_, facts := fields["Facts"]
	_, now := fields["Now"]
	if facts && now {
		return nil
	}
	_, kind := fields["kind"]
	_, summary := fields["summary"]
	switch {
	case kind:
		return errors.New("it is no saved state, but an object of Kubernetes: simulate -f decides on those")
	case summary:
		return errors.New("it is no saved state, but a report: the state is in the file ashlar-dump beside it")
	case facts:
		return errors.New("it is no saved state: it has no Now, the time at which it was saved; " + whatIsRead)
	default:
		return errors.New("it is no saved state: it has no Facts; " + whatIsRead)
	}
}

var errEmpty = errors.New("it is empty: ask the scheduler for a dump again")

const whatIsRead = "give a file that a scheduler wrote on SIGUSR1 or SIGUSR2 or left after a panic, or a snapshot"

// notJSON says what is wrong with a text.
func notJSON(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return fmt.Errorf("it is no saved state, but a JSON %s: %s", kind.Value, whatIsRead)
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(data)):
		return errCut
	case data[0] != '{':
		return fmt.Errorf("it is no saved state: it is not JSON; %s", whatIsRead)
	case errors.As(err, &syntax):
		return fmt.Errorf("it is no sound JSON from byte %d, line %d on (%w): %s", syntax.Offset,
			1+bytes.Count(data[:syntax.Offset], []byte("\n")), err, whatIsRead)
	}
	return err
}

// plausible returns an error for a time with which no engine can count.
func (s *Step) plausible() error {
	if s.Cycle == nil {
		return nil
	}
	return soundTime(s.Cycle.Now)
}

// plausible returns an error for times with which no engine can count.
func (s *State) plausible() error {
	if s.Period < 0 {
		return fmt.Errorf("its Period is %s: expected 0 or more", s.Period)
	}
	return soundTime(s.Now)
}

func soundTime(now int64) error {
	if now < 0 || now > math.MaxInt64/2 {
		return fmt.Errorf("its Now is %d: expected nanoseconds since 1970, before the year 2116", now)
	}
	return nil
}
