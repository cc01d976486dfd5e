//go:build !simulator

package cli

import (
	"bytes"
	"errors"
	"net/http"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/manifest"
	"ashlar.sh/internal/readapi"
	"ashlar.sh/internal/readapi/client"
)

// byScheduler is what the live scheduler says of jobs; nil: the objects are to be asked.
func (p planner) byScheduler(a planning, jobs *manifest.Set) (*explain.Plan, error) {
	s := a.source
	s.files = nil // they are the question, not the cluster
	if len(a.on) > 0 || !s.asksScheduler() {
		return nil, nil
	}
	var text bytes.Buffer
	if err := jobs.WriteJSON(&text); err != nil {
		return nil, badInput("error: " + err.Error())
	}
	if text.Len() > readapi.MostToPlan && s.from != fromScheduler {
		return nil, nil
	}
	out := &explain.Plan{}
	answered, err := liveQuestions(p).fromScheduler(&s, func(x *scheduler) error {
		return x.query("/v1/plan", text.Bytes(), out)
	})
	if !answered {
		return nil, err
	}
	return out, nil
}

func (x *scheduler) query(path string, body []byte, into any) error {
	ctx, cancel := x.limited()
	defer cancel()
	err := x.Query(ctx, path, body, into)
	var refused *client.Refusal
	if errors.As(err, &refused) && x.s.from != fromScheduler && (refused.Code == http.StatusBadRequest ||
		refused.Code == http.StatusMethodNotAllowed || refused.Code == http.StatusRequestEntityTooLarge) {
		return &client.Refusal{Code: http.StatusNotFound, Message: refused.Message} // more is planned on the objects
	}
	return err
}
