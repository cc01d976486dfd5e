package execute

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// answerKind classifies the answers to a write by what has to be done next.
type answerKind int

const (
	done      answerKind = iota
	missing              // the object does not exist: the receipt is Missing
	clash                // the object is in another state than expected: read it
	refused              // the server refuses it for good: a repetition does not help
	unknown              // the write may or may not have happened: read, then send it again
	later                // it was not carried out, but may be: send it again
	withdrawn            // the pod was not deleted: a later plan took the eviction back, or the pod had ended by itself
)

// kindOf classifies an answer. Time-outs, broken connections, and a proxy's answer that it lost the
// server, are unknown: the server may have done the write without being able to answer.
func kindOf(err error) answerKind {
	var network net.Error
	switch {
	case err == nil:
		return done
	case errors.Is(err, errWithdrawn):
		return withdrawn
	case errors.As(err, new(unsent)):
		return clash
	case apierrors.IsNotFound(err):
		return missing
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		return clash
	case tooLarge(err):
		return refused
	case apierrors.IsTooManyRequests(err), utilnet.IsConnectionRefused(err), errors.Is(err, errNotLeading):
		return later
	case apierrors.IsServiceUnavailable(err),
		apierrors.IsTimeout(err), apierrors.IsServerTimeout(err), apierrors.IsInternalError(err),
		apierrors.IsUnexpectedServerError(err), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, context.Canceled), errors.As(err, &network),
		utilnet.IsConnectionReset(err), utilnet.IsProbableEOF(err), utilnet.IsHTTP2ConnectionLost(err):
		return unknown
	}
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		if status.Status().Code >= 500 {
			return unknown
		}
		return refused
	}
	return unknown
}

// unsent is why a write was not sent, so that the server cannot carry it out later.
type unsent struct{ error }

func (u unsent) Unwrap() error { return u.error }

// notSent says of an error, if it is one and no refusal, that the write was not sent.
func notSent(err error) error {
	if err == nil || kindOf(err) == refused {
		return err
	}
	return unsent{err}
}

// tooLarge reports that the store takes no object of the size that a write would give it. The API server answers that
// as an error of its own, but it is the object's: a tenant makes pods that no node can be written into. Were they tried
// again, they would take the places of all other requests.
func tooLarge(err error) bool {
	status := apierrors.APIStatus(nil)
	return errors.As(err, &status) && strings.Contains(status.Status().Message, "etcdserver: request is too large")
}

// withoutRights reports whether a refusal is about the scheduler's own rights, and not about the
// object: then every such request of this scheduler is refused.
func withoutRights(err error) bool {
	return apierrors.IsUnauthorized(err) || lacksRight(err, "create")
}

// lacksRight reports whether a refusal says that the scheduler's role lacks a verb, as no webhook or policy does.
func lacksRight(err error, verb string) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "cannot "+verb+" resource")
}

// pause is how long to wait before the nth repetition: what the server asks for, else
// from 50 ms, doubled each time, to 2 s.
func pause(err error, n int) time.Duration {
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok && seconds > 0 {
		return min(time.Duration(seconds)*time.Second, 5*time.Second)
	}
	return min(50*time.Millisecond<<min(n, 6), 2*time.Second)
}

// sleep waits, and returns false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
