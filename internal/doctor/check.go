package doctor

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/inspect"
)

// Status is what a look came to.
type Status string

// The statuses.
const (
	OK         Status = "ok"
	Warning    Status = "warning"
	Failure    Status = "failure"
	NotAllowed Status = "not allowed"
)

// Check is one look. Its Name stays the same.
type Check struct {
	Name    string   `json:"name"`
	Status  Status   `json:"status"`
	Message string   `json:"message"`
	Details []string `json:"details"`
	Do      string   `json:"do,omitempty"` // "" where it is ok
}

// Report is all looks: the document of `ashlar doctor -o json`. Fields may be added to it, none changed.
type Report struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Checks     []Check `json:"checks"`
}

// Visit is what is needed to look.
type Visit struct {
	inspect.Clients

	// HTTP and Host reach the API server for its clock; nil: it is not looked at.
	HTTP *http.Client
	Host string
	Now  func() time.Time
	// Version is that of this program.
	Version string
	// State is what the engine makes of the cluster; nil: too little of it may be read, for the reason Unread.
	State  *State
	Unread string

	running []inspect.Running
	hidden  bool          // some deployments may not be listed
	ahead   time.Duration // of this machine's clock before that of the API server; 0 where unclear
	unclear error         // why the time of the API server is not known
}

// Examine makes all looks, one after the other.
func Examine(ctx context.Context, v *Visit) *Report {
	out := &Report{APIVersion: "ashlar.sh/v1alpha1", Kind: "DoctorReport"}
	v.ahead, v.unclear = v.skew(ctx)
	for _, look := range []func(context.Context, *Visit) Check{versions, kinds, schedulers, rights, leases, controllers,
		webhooks, queues, gates, clock, heartbeats} {
		c := look(ctx, v)
		if c.Details == nil {
			c.Details = []string{}
		}
		if c.Status == OK {
			c.Do = ""
		}
		out.Checks = append(out.Checks, c)
	}
	return out
}

// Worst is the worst status of all, of which not being allowed to look is none.
func (r *Report) Worst() Status {
	worst := OK
	for i := range r.Checks {
		switch s := r.Checks[i].Status; {
		case s == Failure:
			return Failure
		case s == Warning:
			worst = Warning
		}
	}
	return worst
}

// Text writes a line for each look, with what was found and what to do below it.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	for i := range r.Checks {
		c := &r.Checks[i]
		fmt.Fprintf(&b, "%-11s  %-11s  %s\n", c.Status, c.Name, c.Message)
		for _, d := range c.Details {
			fmt.Fprintf(&b, "%27s- %s\n", "", d)
		}
		if c.Do != "" {
			fmt.Fprintf(&b, "%26s> %s\n", "", c.Do)
		}
	}
	_, err := io.WriteString(w, explain.Printable(b.String()))
	return err
}

// refused is a look that was not made: for a right that is missing, or since the API server did not answer.
func refused(name, what string, err error) Check {
	if apierrors.IsForbidden(err) {
		return Check{Name: name, Status: NotAllowed, Message: "no right to " + what,
			Do: "ask somebody who may, or to be given the right"}
	}
	return Check{Name: name, Status: Warning, Message: what + ": " + err.Error(), Do: "try again"}
}

// mostNamed bounds the names that a look tells.
const mostNamed = 5

// few adds a detail unless there are enough, and counts the rest.
func few(details []string, n int, format string, args ...any) []string {
	switch {
	case n < mostNamed:
		return append(details, fmt.Sprintf(format, args...))
	case n == mostNamed:
		return append(details, "and more")
	}
	return details
}
