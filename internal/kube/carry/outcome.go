package carry

import (
	"context"
	"errors"
	"net"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// kind sorts the answers to a write by what is to be done about them.
type kind int

const (
	done    kind = iota
	missing      // the object is not there: no receipt but Missing can follow
	clash        // the object is not as we thought: read it
	refused      // it will not be had, however often it is asked
	unknown      // the write may or may not have happened: read, then ask again
	later        // the server has no time now: ask again
)

// kindOf says what an answer means. Time-outs and broken connections are unknown, for
// the server may have done what it could not say.
func kindOf(err error) kind {
	var network net.Error
	switch {
	case err == nil:
		return done
	case apierrors.IsNotFound(err):
		return missing
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		return clash
	case apierrors.IsTooManyRequests(err), apierrors.IsServiceUnavailable(err):
		return later
	case apierrors.IsTimeout(err), apierrors.IsServerTimeout(err), apierrors.IsInternalError(err),
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
