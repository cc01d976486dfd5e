//go:build !simulator

package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"ashlar.sh/internal/readapi/client"
	"ashlar.sh/internal/recording"
	"ashlar.sh/internal/web/player"
)

// copyWithin is how long a copy of a live scheduler's state may take.
const copyWithin = 2 * time.Minute

// liveWhatIf answers what-if for a live scheduler. It is computed here, on a copy of all that the scheduler decides on,
// which a person has to be allowed to read: by the read API, or object by object. Nothing is written to the cluster.
type liveWhatIf struct {
	pages
	s watching
	c *client.Client
}

// copied is the copy that a change is tried on.
func (l *liveWhatIf) copied(ctx context.Context, change *player.Change) (*player.Copy, error) {
	if change.FromStart {
		return nil, &player.Refusal{Code: http.StatusConflict,
			Message: "fromStart: a live cluster has no beginning that can be run again"}
	}
	ctx, cancel := context.WithTimeout(ctx, copyWithin)
	defer cancel()
	state, err := l.state(ctx)
	if err != nil {
		return nil, err
	}
	held := recording.Setting{Configuration: state.Configuration, UTCOffset: state.UTCOffset}
	return &player.Copy{Items: recording.Items(state.Facts), Begin: state.Now, Make: l.makes("the scheduler", held),
		Parse: l.parsed(l.s.simulation), Now: time.Now}, nil
}

// state is all that the scheduler decides on, as it says it or as its objects do.
func (l *liveWhatIf) state(ctx context.Context) (recording.State, error) {
	answer, err := l.c.Ask(ctx, "/v1/dump")
	var refused *client.Refusal
	switch {
	case err == nil:
		defer answer.Body.Close()
		data, err := io.ReadAll(io.LimitReader(answer.Body, recording.Largest))
		if err != nil {
			return recording.State{}, &player.Refusal{Code: http.StatusBadGateway, Message: "the scheduler's answer was cut: " +
				err.Error()}
		}
		return recording.ParseState(data)
	case errors.As(err, &refused) && (refused.Code == http.StatusForbidden || refused.Code == http.StatusNotFound):
		return l.stateOfObjects(refused.Message)
	case errors.As(err, &refused):
		return recording.State{}, &player.Refusal{Code: refused.Code, Message: refused.Message}
	}
	return recording.State{}, &player.Refusal{Code: http.StatusBadGateway, Message: err.Error()}
}

// stateOfObjects is that of a person that may list all objects, and not ask the scheduler for its own.
func (l *liveWhatIf) stateOfObjects(refused string) (recording.State, error) {
	s := source{simulation: l.s.simulation, kubeconfig: l.s.kubeconfig, context: l.s.context}
	state, err := snapshots{questions(l.pages)}.stateOfCluster(s)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return state, &player.Refusal{Code: http.StatusForbidden, Message: "What-if needs a copy of all that the scheduler " +
			"decides on, and you may not read it: " + refused + "; " + strings.TrimPrefix(first, "error: ") +
			". Ask somebody who operates the cluster."}
	}
	return state, nil
}
