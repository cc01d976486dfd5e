//go:build !simulator

package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"ashlar.sh/internal/kube/inspect"
)

// calm is how long a cluster is left alone after it was read: it changes many times a second, and is read whole.
const calm = 2 * time.Second

// watching prints a list, and after each change of the cluster the lines that are new. Each time the cluster is read
// anew, which costs as much as the first time: at most once in calm.
func (p questions) watching(l listing, print func(listing, *situation, io.Writer) error) error {
	ctx, stop := whileReading(context.Background())
	defer stop()
	c, err := p.clients(&l.source)
	if err != nil {
		return noCluster(err)
	}
	changed := inspect.Changes(ctx, c, l.namespace)
	quiet := *p.Process.silent()
	shown := news{to: p.Out}
	for first := true; ; first = false {
		asking := p
		if !first {
			asking = questions{quiet} // what is missing was told once
		}
		live, err := asking.look(ctx, c, &l.source)
		if err != nil {
			return untilStopped(ctx, err)
		}
		s, err := live.decided(asking)
		if err != nil {
			return err
		}
		err = shown.of(func(timeless bool, w io.Writer) error {
			l := l
			l.timeless = timeless
			return print(l, s, w)
		})
		if err != nil {
			return err
		}
		l.noHeaders = true
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(calm):
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		}
	}
}

// news prints of a text that is made again and again the lines that were not in it the last time.
type news struct {
	to   io.Writer
	seen map[string]bool
}

// of prints what is new. Columns may have another width, and a job is older each time: a line is the same if its words
// are, without times.
func (n *news) of(write func(timeless bool, w io.Writer) error) error {
	var out, keys bytes.Buffer
	if err := write(false, &out); err != nil {
		return err
	}
	if err := write(true, &keys); err != nil {
		return err
	}
	lines, key := map[string]bool{}, slices.Collect(strings.Lines(keys.String()))
	at := 0
	for line := range strings.Lines(out.String()) {
		words := strings.Join(strings.Fields(key[at]), " ")
		if at++; !n.seen[words] {
			fmt.Fprint(n.to, line)
		}
		lines[words] = true
	}
	n.seen = lines
	return nil
}

// untilStopped is no error once the person has ended the watch.
func untilStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// silent is the process without messages.
func (p Process) silent() *Process {
	p.Err = io.Discard
	return &p
}

// hurry is how long a completion may take.
const hurry = 3 * time.Second

// liveNames are the names that a live cluster has of a kind, in the namespace; none where they cannot be had in time.
func (p questions) liveNames(s source, kind string) []string {
	c, err := p.clients(&s)
	if err != nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), hurry)
	defer stop()
	return inspect.Names(ctx, c, kind, s.namespace)
}
