//go:build !simulator

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/recording"
)

const historyLong = `Plays a recording and tells what happened to one job, decision by decision: when its pods
came, when its queue let it in, why it waited, where its pods were bound, by which rule they were
evicted and for which job, and which others were evicted for it.

Exit codes: 0 told; 1 the file cannot be used, or has nothing of the job; 2 bad usage; 3 the
recording is decided otherwise than it was, so what comes later is not known.`

func (p playing) history() *cobra.Command {
	c := &cobra.Command{Use: "history", Short: "Tell what happened to a job", Args: cobra.NoArgs}
	output := ""
	job := &cobra.Command{
		Use:   "job NAMESPACE/NAME FILE",
		Short: "Tell what happened to a job, from a recording",
		Long:  historyLong,
		Example: `  kill -USR2 $PID
  ashlar history job team/train /tmp/ashlar-recordings/ashlar-recording-$PID.jsonl.gz`,
		Args: exactly("the job and the recording: history job NAMESPACE/NAME FILE", 2),
		RunE: func(_ *cobra.Command, args []string) error { return p.historyOf(args[0], args[1], output) },
	}
	job.Flags().StringVarP(&output, "output", "o", "table", "table or json")
	c.AddCommand(job)
	return c
}

// moments is what happened to a job in one cycle.
type moments struct {
	Cycle uint64   `json:"cycle"`
	Time  string   `json:"time"`
	What  []string `json:"what"`
}

func (p playing) historyOf(job, path, output string) error {
	if output != "table" && output != "json" {
		return fmt.Errorf("--output %q: expected table or json", output)
	}
	if strings.Count(job, "/") != 1 {
		return fmt.Errorf("%q: expected NAMESPACE/NAME of a job", job)
	}
	r, err := recording.Open(path)
	if err != nil {
		return badInput("error: " + err.Error())
	}
	defer func() { _ = r.Close() }() // it was only read
	if !r.IsRecording() {
		return badInput(fmt.Sprintf("error: %s: it is the state of one moment, which has no history: "+
			"give a recording, ashlar-recording-PID%s", path, recording.Ending))
	}
	var list []moments
	s := &stepper{job: job, show: func(v *stepView) error {
		if m := (moments{v.Cycle, v.Time, happened(v, job)}); len(m.What) > 0 {
			list = append(list, m)
		}
		return nil
	}}
	player := p.player(path, 0)
	player.Before, player.After = s.before, s.after
	out, err := p.play(r, path, player)
	if err != nil {
		return err
	}
	if len(list) == 0 && out.Same {
		return badInput(fmt.Sprintf("error: %s: nothing is recorded of job %s from %s to %s: is the name right? "+
			"ashlar replay --step shows all", path, job, out.From, out.To))
	}
	if output == "json" {
		err = json.NewEncoder(p.Out).Encode(list)
	} else {
		err = historyText(p.Out, list)
	}
	if err != nil {
		return err
	}
	return p.result(out, "")
}

// happened is a cycle in sentences: pods that came, changed or went alike are one.
func happened(v *stepView, job string) (out []string) {
	namespace, _, _ := strings.Cut(job, "/")
	short := func(name string) string {
		name = strings.TrimPrefix(strings.TrimPrefix(name, "Pod/"), "PodGroup/")
		return strings.TrimPrefix(name, namespace+"/")
	}
	alike := map[string][]string{}
	var order []string
	for _, c := range v.Came {
		text := c.What
		switch {
		case c.What == "changed" && c.Was == "":
			continue // nothing that is told
		case c.What == "changed":
			text = c.Is
		case c.Is != "":
			text = c.What + " (" + c.Is + ")"
		}
		if alike[text] == nil {
			order = append(order, text)
		}
		alike[text] = append(alike[text], short(c.Object))
	}
	for _, text := range order {
		out = append(out, several(alike[text])+": "+text)
	}
	for _, a := range v.Answered {
		if !strings.HasSuffix(a, ": done") {
			out = append(out, "answer: "+a)
		}
	}
	out = append(out, v.Decided...)
	for _, w := range v.Waits {
		if w.Code != "" {
			out = append(out, "waits: "+w.Why)
		}
	}
	if v.Panic != "" {
		out = append(out, "the cycle panicked: "+v.Panic)
	}
	return out
}

// mostNames is how many names a line has.
const mostNames = 4

func several(names []string) string {
	if len(names) <= mostNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNames], ", "), len(names)-mostNames)
}

func historyText(w io.Writer, list []moments) error {
	var b strings.Builder
	for _, m := range list {
		for i, what := range m.What {
			if i == 0 {
				fmt.Fprintf(&b, "%s  cycle %-5d  %s\n", m.Time, m.Cycle, what)
			} else {
				fmt.Fprintf(&b, "%39s  %s\n", "", what)
			}
		}
	}
	_, err := io.WriteString(w, explain.Printable(b.String()))
	return err
}
