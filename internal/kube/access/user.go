package access

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// authenticated is the group of every user that is known.
const authenticated = "system:authenticated"

// longest is the longest token that is looked at; those of Kubernetes have one or two thousand bytes.
const longest = 16 << 10

// User finds the user that sent a request, by its client certificate if it shows a good one, else by its bearer token.
// Errors wrap ErrUnknown, ErrTooMany or ErrUnanswered.
func (r *Reviewer) User(ctx context.Context, from *http.Request) (*User, error) {
	if u := r.authorities.user(from.TLS); u != nil {
		return u, nil
	}
	token, ok := bearer(from)
	if !ok {
		return nil, ErrUnknown
	}
	return r.reviewed(ctx, token, from.RemoteAddr)
}

// bearer is the token of a request.
func bearer(from *http.Request) (string, bool) {
	kind, token, ok := strings.Cut(from.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	return token, ok && strings.EqualFold(kind, "bearer") && token != "" && len(token) <= longest
}

// reviewed asks to which user a token belongs. It must be one for the API server itself: a token for another
// audience is refused.
func (r *Reviewer) reviewed(ctx context.Context, token, address string) (*User, error) {
	key := sha256.Sum256([]byte(token))
	if known, ok := r.tokens.Get(key); ok {
		if u := known.(*User); u != nil {
			return u, nil
		}
		return nil, ErrUnknown
	}
	// The token counts as wrong until the API server says otherwise: however many come at once, no more are asked about.
	wrongs := r.wrongs.Of(hostOf(address))
	if !wrongs.Allow() {
		return nil, ErrTooMany
	}
	good := func() { wrongs.AllowN(time.Now(), -1) }
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := r.limit.Wait(ctx); err != nil {
		good()
		return nil, fmt.Errorf("%w: too many questions wait", ErrUnanswered)
	}
	review, err := r.kube.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{
		Spec: authenticationv1.TokenReviewSpec{Token: token}}, metav1.CreateOptions{})
	if err != nil {
		good()
		return nil, r.unanswered(fmt.Errorf("review a token: %w", err))
	}
	if !review.Status.Authenticated || review.Status.User.Username == "" {
		r.tokens.Add(key, (*User)(nil), Lifetime)
		return nil, ErrUnknown
	}
	good()
	u := review.Status.User
	if !slices.Contains(u.Groups, authenticated) {
		u.Groups = append(slices.Clone(u.Groups), authenticated)
	}
	r.tokens.Add(key, &u, Lifetime)
	return &u, nil
}

// hostOf is the address of a client without its port.
func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}

// Share is the client for which a user's requests count: the service accounts of one namespace are one, since users
// that may make one there may make many.
func Share(u *User) string {
	rest, ok := strings.CutPrefix(u.Username, "system:serviceaccount:")
	if namespace, _, named := strings.Cut(rest, ":"); ok && named {
		return "system:serviceaccount:" + namespace
	}
	return u.Username
}
