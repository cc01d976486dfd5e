//go:build !simulator

package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
)

// playing is the verbs that decide again on what a scheduler saved.
type playing struct{ Process }

// exitDiffers is the exit code where a recording is decided otherwise than it was.
const exitDiffers = 3

// playback is what playing a recording came to.
type playback struct {
	File       string `json:"file"`
	Version    string `json:"version,omitempty"`
	Reason     string `json:"reason,omitempty"`
	From       string `json:"from,omitempty"`
	To         string `json:"to,omitempty"`
	Cycles     int    `json:"cycles"`
	Items      int    `json:"items"`
	Bound      int    `json:"bound"`
	Evicted    int    `json:"evicted"`
	Cut        bool   `json:"cut,omitempty"` // the end of the file is missing
	Same       bool   `json:"same"`
	Difference string `json:"difference,omitempty"`
}

// player plays with the configuration that held at each moment.
func (p playing) player(path string, verbosity int) *recording.Player {
	return &recording.Player{Verbosity: verbosity, Make: func(s recording.Setting) (*sched.Engine, error) {
		chosen, err := p.configured("", path, s.Configuration)
		if err != nil {
			return nil, err
		}
		e, err := sched.New(profile.Local(profile.Of(chosen), s.UTCOffset), append(p.engine(), recording.Pace(s.Period))...)
		if err != nil {
			return nil, badInput(chosen.Locate(err).Error())
		}
		return e, nil
	}}
}

// play plays a recording to its end or its first difference; each, if set, is called after each cycle.
func (p playing) play(r *recording.Reader, path string, player *recording.Player) (playback, error) {
	out := playback{File: path, Version: r.Head.Version, Reason: r.Head.Reason}
	each := player.After
	player.After = func(c *recording.Played) error {
		out.Cycles++
		if out.From == "" {
			out.From = moment(c.Step.Cycle.Now)
		}
		out.To = moment(c.Step.Cycle.Now)
		for _, i := range c.Plan.Items {
			out.Items++
			switch i.Kind {
			case sched.BindPod:
				out.Bound++
			case sched.EvictPod:
				out.Evicted++
			}
		}
		if each != nil {
			return each(c)
		}
		return nil
	}
	d, err := player.Play(r.Base, r.Next)
	var failed *failure
	if err != nil && !errors.As(err, &failed) {
		err = badInput("error: " + err.Error())
	}
	out.Cut, out.Same = r.Cut, d == nil
	if d != nil {
		out.Difference = d.String()
	}
	return out, err
}

// result prints what playing came to.
func (p playing) result(out playback, output string) error {
	switch output {
	case "":
	case "json":
		if err := json.NewEncoder(p.Out).Encode(out); err != nil {
			return err
		}
	default:
		head := fmt.Sprintf("%s: recorded by ashlar %s, saved because of: %s", out.File, orUnknown(out.Version),
			orUnknown(out.Reason))
		fmt.Fprintln(p.Out, explain.Printable(head))
		if out.Cycles > 0 {
			fmt.Fprintf(p.Out, "Cycles from %s to %s.\n", out.From, out.To)
		}
		if out.Same {
			fmt.Fprintf(p.Out, "Decided again: %s, %s (%s bound, %d evicted). All are the same, byte for byte.\n",
				explain.Count(out.Cycles, "cycle"), explain.Count(out.Items, "item"), explain.Count(out.Bound, "pod"), out.Evicted)
		}
	}
	if out.Cut {
		fmt.Fprintf(p.Err, "warning: %s: its end is missing: what came after these cycles is lost\n", out.File)
	}
	if !out.Same {
		return &failure{code: exitDiffers, lines: []string{"error: " + out.Difference,
			"The decisions are not the same: this is another version of ashlar, or a bug."}}
	}
	return nil
}

func orUnknown(s string) string {
	if s == "" {
		return "(unknown)"
	}
	return s
}

// stepping plays a recording cycle by cycle.
func (p playing) stepping(r *recording.Reader, path string, o replaying) error {
	s := &stepper{job: o.job, reasons: nil}
	var err error
	if s.first, s.last, err = cycles(o.cycle); err != nil {
		return err
	}
	if s.job != "" && strings.Count(s.job, "/") != 1 {
		return fmt.Errorf("--job %q: expected NAMESPACE/NAME", s.job)
	}
	s.show = func(v *stepView) error {
		if v.empty() && len(v.Log) == 0 {
			return nil
		}
		if o.output == "json" {
			return json.NewEncoder(p.Out).Encode(v)
		}
		return v.text(p.Out)
	}
	player := p.player(path, o.verbosity)
	player.Before, player.After = s.before, s.after
	out, err := p.play(r, path, player)
	if err != nil {
		return err
	}
	if o.output == "json" {
		return p.result(out, "") // each line is a cycle
	}
	return p.result(out, o.output)
}

// cycles reads N or N-M; 0 for no bound.
func cycles(text string) (first, last uint64, err error) {
	if text == "" {
		return 0, 0, nil
	}
	from, to, both := strings.Cut(text, "-")
	first, err = strconv.ParseUint(from, 10, 64)
	if last = first; err == nil && both {
		last, err = strconv.ParseUint(to, 10, 64)
	}
	if err != nil || first == 0 || last < first {
		return 0, 0, fmt.Errorf("--cycle %q: expected a number from 1, or two as 10-20", text)
	}
	return first, last, nil
}

// text writes a cycle.
func (v *stepView) text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "cycle %d at %s\n", v.Cycle, v.Time)
	row := func(what, text string) { fmt.Fprintf(&b, "  %-8s  %s\n", what, text) }
	if v.Remade {
		row("changed", "the configuration")
	}
	for _, c := range v.Came {
		row(c.What, c.text())
	}
	for _, a := range v.Answered {
		row("answered", a)
	}
	for _, d := range v.Decided {
		row("decided", d)
	}
	for _, x := range v.Waits {
		if x.Code == "" {
			row("waits", x.Job+" no more")
		} else {
			row("waits", x.Job+": "+x.Why)
		}
	}
	if v.Panic != "" {
		row("panicked", v.Panic)
	}
	for _, line := range v.Log {
		row("log", line)
	}
	_, err := io.WriteString(w, explain.Printable(b.String()))
	return err
}

func (c cameView) text() string {
	switch {
	case c.What == "gone":
		return c.Object
	case c.Is == "":
		return c.Object
	case c.Was != "" && c.Was != c.Is:
		return fmt.Sprintf("%s: %s, was: %s", c.Object, c.Is, c.Was)
	}
	return c.Object + ": " + c.Is
}
