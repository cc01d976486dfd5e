//go:build !simulator

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/manifest"
	"ashlar.sh/internal/readapi"
	"ashlar.sh/internal/readapi/client"
)

// byScheduler is what the live scheduler says of jobs; nil: the objects are to be asked. settled: the objects would
// tell no more.
func (p planner) byScheduler(a planning, jobs *manifest.Set) (told *explain.Plan, settled bool, err error) {
	s := a.source
	s.files = nil // they are the question, not the cluster
	if len(a.on) > 0 || !s.asksScheduler() {
		return nil, false, nil
	}
	var text bytes.Buffer
	if err := jobs.WriteJSON(&text); err != nil {
		return nil, false, badInput("error: " + err.Error())
	}
	if text.Len() > readapi.MostToPlan && s.from != fromScheduler {
		return nil, false, nil
	}
	out := &explain.Plan{}
	answered, err := liveQuestions(p).fromScheduler(&s, func(x *scheduler) error {
		if err := x.query("/v1/plan", text.Bytes(), x.wait, out); err != nil {
			return err
		}
		if settled = out.Decided() || a.until == 0 && a.search == 0; settled {
			return nil
		}
		if ahead := p.askedAhead(a, x, text.Bytes()); ahead != nil {
			out, settled = ahead, true
		}
		return nil
	})
	if !answered {
		return nil, false, err
	}
	aged(out)
	return out, settled, nil
}

// aheadWait is how long a client waits for when jobs start, once it is its turn: longer than the scheduler looks.
const aheadWait = 8 * time.Second

// aheadPatience is how long it waits for that in all: the scheduler looks ahead for one after the other. To read all
// objects takes longer on a large cluster, and not everybody may.
const aheadPatience = 25 * time.Second

// askedAhead is a plan in which the live scheduler has also looked when the jobs start that wait, and what would make
// them run; nil where it has no time for that, or is too old for it.
func (p planner) askedAhead(a planning, x *scheduler, body []byte) *explain.Plan {
	wants := url.Values{}
	if a.until > 0 {
		wants.Set("start", aheadWait.String())
	}
	if a.search > 0 {
		wants.Set("wouldRun", a.search.String())
	}
	done := p.working("the scheduler looks when the jobs that wait start")
	defer done()
	out := &explain.Plan{}
	if x.query("/v1/plan?"+wants.Encode(), body, aheadPatience, out) != nil { // what is busy is asked again until then
		return nil
	}
	return out
}

// aged says of how long ago an answer is, where that is more than a moment. The scheduler tells it: the clock of this
// machine may be another.
func aged(out *explain.Plan) {
	if age := time.Duration(out.Basis.Age).Round(time.Second); age > time.Second {
		out.Notes = append(out.Notes, fmt.Sprintf("it is about the state %s ago: ask again for a newer one", age))
	}
}

func (x *scheduler) query(path string, body []byte, within time.Duration, into any) error {
	ctx, cancel := context.WithTimeout(x.ctx, within)
	defer cancel()
	err := x.Query(ctx, path, body, into)
	var refused *client.Refusal
	if errors.As(err, &refused) && x.s.from != fromScheduler && (refused.Code == http.StatusBadRequest ||
		refused.Code == http.StatusMethodNotAllowed || refused.Code == http.StatusRequestEntityTooLarge) {
		return &client.Refusal{Code: http.StatusNotFound, Message: refused.Message} // more is planned on the objects
	}
	return err
}
