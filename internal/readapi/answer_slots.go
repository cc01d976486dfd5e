package readapi

import (
	"context"
	"sync"

	"ashlar.sh/internal/kube/access"
)

// How many answers are made and written at the same time: they are in memory until the client has read them.
const (
	mostAnswers       = 64
	mostAnswersOfUser = 16
)

// answerSlots bounds how many answers there are, for all users together and for each: a user that does not read what it
// has asked for must not keep others from theirs.
type answerSlots struct {
	all chan struct{} // has a place for each answer

	mu    sync.Mutex
	users map[string]*places // by access.Share
}

// places are those of one user, while there are requests of it.
type places struct {
	taken    chan struct{}
	requests int
}

func newAnswerSlots() *answerSlots {
	return &answerSlots{all: make(chan struct{}, mostAnswers), users: map[string]*places{}}
}

// take waits for a place. After the answer done must be called; an error is that of ctx.
func (t *answerSlots) take(ctx context.Context, u *access.User) (done func(), err error) {
	own := t.come(access.Share(u))
	select {
	case own.taken <- struct{}{}:
	case <-ctx.Done():
		t.leave(access.Share(u))
		return nil, ctx.Err()
	}
	select {
	case t.all <- struct{}{}:
	case <-ctx.Done():
		<-own.taken
		t.leave(access.Share(u))
		return nil, ctx.Err()
	}
	return func() {
		<-t.all
		<-own.taken
		t.leave(access.Share(u))
	}, nil
}

func (t *answerSlots) come(user string) *places {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.users[user]
	if p == nil {
		p = &places{taken: make(chan struct{}, mostAnswersOfUser)}
		t.users[user] = p
	}
	p.requests++
	return p
}

func (t *answerSlots) leave(user string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.users[user]; p.requests > 1 {
		p.requests--
	} else {
		delete(t.users, user)
	}
}
