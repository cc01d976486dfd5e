package story

import (
	"errors"
	"fmt"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// backoff says that the API server has refused to bind a pod of a job, so that the job
// is in a backoff, or, with only, these pods of it:
//
//	backoff ml/train pod=train-2 tries=4 until=30s says=denied
//	backoff ml/train pod=train-5 tries=1 until=10s only
//
// A story has no API server that refuses: the backoff holds until another line changes it.
var backoffVerb = verb{syntax: "backoff NAMESPACE/NAME pod=POD tries=N until=DURATION [says=TEXT] [only] [adopted]",
	do: backoff}

var errEarly = errors.New("there is no such pod yet: it has to have been there for a cycle")

func backoff(s *stage, w *words) error {
	key, err := w.key()
	if err != nil {
		return err
	}
	b := &model.Backoff{Meta: model.Meta{Namespace: key.Namespace, Name: key.Name}}
	pod, only := "", false
	for _, word := range w.all {
		switch name, value := option(word); name {
		case "pod":
			pod = value
		case "tries":
			b.Tries, err = number(name, value)
		case "until":
			var at time.Duration
			at, err = time.ParseDuration(value)
			b.NotBefore = int64(at)
		case "says":
			b.Answer = value
		case "only":
			only = true
		case "adopted":
			b.Adopted = true
		default:
			err = unknown(word)
		}
		if err != nil {
			return err
		}
	}
	if !s.began() {
		return errEarly
	}
	refused := ledger.Key{Namespace: key.Namespace, Name: pod}
	if _, there := s.world.Engine().Ledger().Tasks.Find(refused); !there {
		return fmt.Errorf("pod=%s: %w", pod, errEarly)
	}
	b.Pod = refused.String()
	s.act(b.Ref(), func(w *sim.World) { w.Backoff(b, refused, only) })
	return nil
}
