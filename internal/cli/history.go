//go:build !simulator

package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/recording"
)

const historyLong = `Tells what happened to one job, decision by decision: when its pods came, when it was admitted,
why it waited, where its pods were bound, by which rule they were evicted and for which job, and
which others were evicted for it.

With a name alone the live scheduler is asked, which has recorded what it was told and decided; the
answer says from when on. Where it cannot be asked, the events of the job's PodGroup and pods are
told (docs/recordings.md). With a file, that recording is played. With --watch it goes on, and tells
what happens next, until Ctrl-C.

Exit codes: 0 told; 1 it cannot be told, or there is nothing of the job; 2 bad usage; 3 the
recording is decided otherwise than it was, so what comes later is not known.`

func (p playing) history() *cobra.Command {
	c := &cobra.Command{Use: "history", Short: "Tell what happened to a job", Args: cobra.NoArgs}
	output, watch, s := "", false, source{}
	job := &cobra.Command{
		Use:   "job NAMESPACE/NAME [FILE]",
		Short: "Tell what happened to a job, by the live scheduler or from a recording",
		Long:  historyLong,
		Example: `  # Of the live cluster
  ashlar history job train -n team
  ashlar history job train -n team --watch

  # Of a recording
  kill -USR2 $PID
  ashlar history job team/train /tmp/ashlar-recordings/ashlar-recording-$PID.jsonl.gz`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 && len(args) != 2 {
				return errors.New("expected a job, and for a recording its file: history job NAMESPACE/NAME [FILE]")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if output != "table" && output != "json" {
				return fmt.Errorf("--output %q: expected table or json", output)
			}
			if len(args) == 2 && watch {
				return errors.New("--watch: a recording does not go on")
			}
			if len(args) == 2 {
				return p.historyOf(args[0], args[1], output)
			}
			if err := s.checkSource(c); err != nil {
				return err
			}
			return liveQuestions{questions(p)}.historyNow(&s, args[0], &past{to: p.Out, output: output, watch: watch})
		},
	}
	job.Flags().StringVarP(&output, "output", "o", "table", "table or json")
	job.Flags().BoolVarP(&watch, "watch", "w", false, "print what happens next, too, until Ctrl-C")
	s.liveFlags(job)
	s.fromFlags(job.Flags())
	c.AddCommand(job)
	return c
}

func (p playing) historyOf(job, path, output string) error {
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
	namespace, name, _ := strings.Cut(job, "/")
	list := explain.NewHistory(namespace, name, explain.Basis{Source: "recording"})
	s := &stepper{job: job, show: func(v *stepView) error {
		if m := (explain.Happens{Cycle: v.Cycle, Time: v.Time, What: happened(v, job)}); len(m.What) > 0 {
			list.Moments = append(list.Moments, m)
		}
		return nil
	}}
	player := p.player(path, 0)
	player.Before, player.After = s.before, s.after
	out, err := p.play(r, path, player)
	if err != nil {
		return err
	}
	if len(list.Moments) == 0 && out.Same {
		return badInput(fmt.Sprintf("error: %s: nothing is recorded of job %s from %s to %s: is the name right? "+
			"ashlar replay --step shows all", path, job, out.From, out.To))
	}
	list.Since, list.Basis.Time = out.From, out.To
	if err := printHistory(p.Out, output, list); err != nil {
		return err
	}
	return p.result(out, "")
}

// happened is a cycle in sentences: pods that came, changed or went alike are one.
func happened(v *stepView, job string) (out []string) {
	namespace, _, _ := strings.Cut(job, "/")
	var changes []explain.ObjectChange
	for _, c := range v.Came {
		changes = append(changes, explain.ObjectChange(c))
	}
	out = explain.Alike(namespace, changes)
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
