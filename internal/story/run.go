package story

import (
	"errors"
	"fmt"
	"math/rand"

	"ashlar.sh/internal/sim"
)

// Options are how a story is run.
type Options struct {
	// Shuffle puts the objects that appear between two cycles into another order; nil
	// leaves them as written. What is about one object keeps its order.
	Shuffle *rand.Rand
	// Watch, when set, is shown every cycle after it ran; what it returns is wrong with
	// the cycle and ends up in Result.Wrong.
	Watch func(*sim.World, sim.Cycle, Stated) []string
	// Twin checks in every cycle that an engine made anew from the facts and commitments
	// of this one decides the same.
	Twin bool
}

// Result is what running a story gave.
type Result struct {
	Text  string     // the story with its answers
	Wrong []string   // what Watch and Twin found, with the line and the cycle
	World *sim.World // as it stands at the end; nil when no line asked for a cycle
}

// wrong is the error of a line; where a word is not understood, it says what the line may have.
func (s *Story) wrong(p part, v verb, err error) error {
	if word := unknownWord(""); errors.As(err, &word) {
		return fmt.Errorf("%s:%d: %s: %w; the line is: %s", s.Name, p.line, p.verb, err, v.syntax)
	}
	return fmt.Errorf("%s:%d: %s: %w", s.Name, p.line, p.verb, err)
}

// Run runs a story from a new world. An error is a line that cannot be carried out,
// with file and line; that a story's answers differ is no error, compare Text.
func (s *Story) Run(o Options) (Result, error) {
	st := newStage(o)
	st.verbosity = s.verbosity()
	var out printed
	for _, p := range s.parts {
		out.part(p)
		if p.verb == "" {
			continue
		}
		st.line = p.line
		v := verbs()[p.verb]
		if v.do != nil {
			if err := v.do(st, &words{all: p.args}); err != nil {
				return Result{}, s.wrong(p, v, err)
			}
			continue
		}
		answer, err := v.ask(st, &words{all: p.args})
		if err != nil {
			return Result{}, s.wrong(p, v, err)
		}
		if len(answer) == 0 {
			answer = []string{"nothing"}
		}
		out.answer(answer)
	}
	return Result{Text: out.String(), Wrong: st.wrong, World: st.world}, nil
}
