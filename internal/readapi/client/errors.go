package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/readapi"
)

// Fault is why no scheduler can be asked.
type Fault struct {
	Kind    FaultKind
	Message string

	broken bool // a connection ended that was there: the message says how, and not with which scheduler
}

// Error is the message.
func (f *Fault) Error() string { return f.Message }

// FaultKind is a code of Fault.
type FaultKind string

// Why no scheduler can be asked.
const (
	None      FaultKind = "None"      // none is there that has a read API
	Forbidden FaultKind = "Forbidden" // the person may not find or reach it
	NoCluster FaultKind = "NoCluster" // the API server does not answer
	Untrusted FaultKind = "Untrusted" // what is there is not known to be the scheduler: nothing was sent to it
	Unreached FaultKind = "Unreached" // it does not answer; it may do so in a moment
	Skew      FaultKind = "Skew"      // it is of a version that does not know the question, or answers in another form
)

func fault(kind FaultKind, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

func broken(format string, args ...any) *Fault {
	f := fault(Unreached, format, args...)
	f.broken = true
	return f
}

// Is reports whether an error is a Fault of a kind.
func Is(err error, kind FaultKind) bool {
	var f *Fault
	return errors.As(err, &f) && f.Kind == kind
}

// Refusal is an answer of the read API that is an error.
type Refusal struct {
	Code    int
	Reason  metav1.StatusReason
	Message string
	causes  []metav1.CauseType
}

// Error is the message.
func (r *Refusal) Error() string { return r.Message }

// passing says that the same question may be answered in a moment, perhaps by another scheduler.
func (r *Refusal) passing() bool {
	return r.Code == http.StatusTooManyRequests || r.Code == http.StatusServiceUnavailable &&
		!slices.Contains(r.causes, metav1.CauseType(readapi.Failed))
}

// elsewhere says that this scheduler does not act, or will not in a moment.
func (r *Refusal) elsewhere() bool {
	return slices.Contains(r.causes, metav1.CauseType(readapi.NotLeader)) ||
		slices.Contains(r.causes, metav1.CauseType(readapi.Ending))
}

// mostError bounds how much of an error is read.
const mostError = 64 << 10

// refusal reads an answer that is an error.
func refusal(r *http.Response) *Refusal {
	out := &Refusal{Code: r.StatusCode}
	data, err := io.ReadAll(io.LimitReader(r.Body, mostError))
	var s metav1.Status
	if err != nil || json.Unmarshal(data, &s) != nil || s.Message == "" {
		out.Message = "the scheduler answered " + r.Status
		return out
	}
	out.Reason, out.Message = s.Reason, s.Message
	if s.Details != nil {
		for _, c := range s.Details.Causes {
			out.causes = append(out.causes, c.Type)
		}
	}
	return out
}
