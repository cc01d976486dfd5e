package readapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/kube/access"
)

// refusal is an error with the HTTP code and the reason that the client gets, in Kubernetes' words.
type refusal struct {
	code    int
	reason  metav1.StatusReason
	message string
	causes  []metav1.StatusCause
	retry   int // seconds; 0: it is not told
}

func (r *refusal) Error() string { return r.message }

func refuse(code int, reason metav1.StatusReason, message string) *refusal {
	return &refusal{code: code, reason: reason, message: message}
}

func badRequest(message string) *refusal {
	return refuse(http.StatusBadRequest, metav1.StatusReasonBadRequest, message)
}

func forbidden(u *access.User, q access.Question) *refusal {
	return refuse(http.StatusForbidden, metav1.StatusReasonForbidden,
		"user "+strconv.Quote(u.Username)+" may not "+q.String())
}

// refusalOf finds the code for an error.
func refusalOf(err error) *refusal {
	var told *refusal
	var unready *Unready
	switch {
	case errors.As(err, &told):
		return told
	case errors.As(err, &unready):
		r := &refusal{code: http.StatusServiceUnavailable, reason: metav1.StatusReasonServiceUnavailable,
			message: unready.Message, retry: 1,
			causes: []metav1.StatusCause{{Type: metav1.CauseType(unready.Reason), Message: unready.Message}}}
		if unready.Leader != "" {
			r.causes = append(r.causes, metav1.StatusCause{Type: "Leader", Field: "leader", Message: unready.Leader})
		}
		return r
	case errors.Is(err, access.ErrUnknown):
		return refuse(http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "Unauthorized: "+err.Error())
	case errors.Is(err, access.ErrTooMany):
		return &refusal{code: http.StatusTooManyRequests, reason: metav1.StatusReasonTooManyRequests,
			message: err.Error(), retry: 10}
	case errors.Is(err, access.ErrUnanswered):
		return &refusal{code: http.StatusServiceUnavailable, reason: metav1.StatusReasonServiceUnavailable,
			message: access.ErrUnanswered.Error(), retry: 5}
	default:
		return &refusal{code: http.StatusServiceUnavailable, reason: metav1.StatusReasonTimeout,
			message: "the scheduler did not answer in time", retry: 1}
	}
}

// status is the refusal as the document that Kubernetes' clients know.
func (r *refusal) status() metav1.Status {
	s := metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Code: int32(r.code), Reason: r.reason, Message: r.message}
	if len(r.causes) > 0 || r.retry > 0 {
		s.Details = &metav1.StatusDetails{Causes: r.causes, RetryAfterSeconds: int32(r.retry)}
	}
	return s
}

// writeError writes an error as the answer.
func writeError(w http.ResponseWriter, err error) {
	r := refusalOf(err)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if r.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(r.retry))
	}
	if r.code == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	w.WriteHeader(r.code)
	_ = json.NewEncoder(w).Encode(r.status()) // the client may have gone
}

// clipped is a client's text as an error repeats it.
func clipped(text string) string {
	if len(text) > 100 {
		text = text[:100] + "..."
	}
	return text
}
