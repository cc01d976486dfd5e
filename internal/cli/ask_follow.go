//go:build !simulator

package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/readapi"
	"ashlar.sh/internal/readapi/client"
)

// watchByScheduler prints a list as the live scheduler has it, and after each change the lines that are new, until
// Ctrl-C. A stream of the scheduler says when something has changed; the list is read anew then, at most once in calm,
// so that the lines are those that are printed without --watch. false: the objects are to be asked.
func (p liveQuestions) watchByScheduler(l *listing, kind string, read func(*scheduler) (printing, error)) (
	bool, error) {
	if l.selector != "" {
		return false, p.objectsOnly(l)
	}
	return p.fromScheduler(&l.source, func(x *scheduler) error {
		shown := news{to: p.Out}
		again := func() error {
			print, err := read(x)
			if err != nil {
				return err
			}
			return shown.of(func(timeless bool, w io.Writer) error {
				l.timeless = timeless
				return print(w)
			})
		}
		if err := again(); err != nil {
			return err
		}
		tell := x.warn
		x.warn = func(string) {} // what is missing was told once
		l.noHeaders = true
		return x.follow(kind, l.namespaceAsked(), 0, tell, again)
	})
}

// printing prints what was read.
type printing func(io.Writer) error

// namespaceAsked is the namespace that a list is of; "": all.
func (l *listing) namespaceAsked() string {
	if l.all {
		return ""
	}
	return l.namespace
}

// follow calls again after each change, and so often without one (0: never), until the person ends it, or may not ask
// any more. What else goes wrong is told once, and tried again: another scheduler may take over.
func (x *scheduler) follow(kind, namespace string, every time.Duration, tell func(string), again func() error) error {
	changed, due := make(chan error), make(<-chan time.Time)
	go x.changes("/v1/watch?"+url.Values{"kinds": {kind + "s"}, "namespace": {namespace}}.Encode(), changed)
	told := ""
	for {
		var err error
		if every > 0 {
			due = time.After(every)
		}
		select {
		case <-x.ctx.Done():
			return nil
		case <-due:
		case err = <-changed:
		}
		if err == nil {
			err = again()
		}
		var refused *client.Refusal
		switch {
		case x.ctx.Err() != nil:
			return nil
		case errors.As(err, &refused) && refused.Code == http.StatusForbidden:
			return err
		case errors.As(err, &refused) && refused.Code == http.StatusNotFound: // what was named has gone
		case err == nil:
			told = ""
		case err.Error() != told:
			told = err.Error()
			tell("the scheduler is asked again: " + told)
		}
		if !x.pause() {
			return nil
		}
	}
}

// pause waits for calm, and returns false when the person ends it.
func (x *scheduler) pause() bool {
	t := time.NewTimer(calm)
	defer t.Stop()
	select {
	case <-x.ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// changes sends nil when something has changed, and why a stream cannot be read, and reads on. Changes that come while
// nothing takes them are one.
func (x *scheduler) changes(path string, to chan<- error) {
	pulse := make(chan struct{}, 1)
	go func() {
		for {
			select {
			case <-x.ctx.Done():
				return
			case <-pulse:
			}
			select {
			case <-x.ctx.Done():
				return
			case to <- nil:
			}
		}
	}()
	for x.ctx.Err() == nil {
		err := x.stream(path, func() {
			select {
			case pulse <- struct{}{}:
			default:
			}
		})
		var refused *client.Refusal
		if errors.As(err, &refused) && refused.Reason == metav1.StatusReasonExpired {
			continue // its time was over, or the rights have changed: it begins anew
		}
		if err != nil {
			select {
			case <-x.ctx.Done():
				return
			case to <- err:
			}
		}
		if !x.pause() {
			return
		}
	}
}

// mostLine bounds a line of a stream.
const mostLine = 64 << 20

// stream reads a stream to its end, and tells of each moment at which something had changed. The rows that it begins
// with are such a change: they may have changed since they were listed.
func (x *scheduler) stream(path string, changed func()) error {
	ctx, cancel := context.WithCancel(x.ctx)
	defer cancel()
	answer, err := x.Ask(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, mostLine)
	some := false
	for lines.Scan() {
		var event struct {
			Type   string
			Object json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return fmt.Errorf("a line of the scheduler's stream cannot be read: %w", err)
		}
		switch event.Type {
		case readapi.Bookmark:
			if some {
				changed()
			}
			some = false
		case readapi.Failure:
			var s metav1.Status
			if err := json.Unmarshal(event.Object, &s); err != nil {
				return fmt.Errorf("the scheduler ended the stream: %w", err)
			}
			return &client.Refusal{Code: int(s.Code), Reason: s.Reason, Message: s.Message}
		default:
			some = true
		}
	}
	return lines.Err()
}

// watchList is watchByScheduler for jobs and nodes.
func (p liveQuestions) watchList(l *listing, kind string) (bool, error) {
	return p.watchByScheduler(l, kind, func(x *scheduler) (printing, error) {
		out, err := x.list(l, kind)
		return func(w io.Writer) error { return p.printList(*l, w, out, explain.Layout{Namespaces: l.all}) }, err
	})
}

// watchQueues is watchByScheduler for queues.
func (p liveQuestions) watchQueues(s *sharing) (bool, error) {
	return p.watchByScheduler(&s.listing, "queue", func(x *scheduler) (printing, error) {
		out, err := x.queues(s)
		return func(w io.Writer) error { return p.printQueues(out, s.listing, w) }, err
	})
}
