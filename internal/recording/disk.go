package recording

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ashlar.sh/sched/model"
)

// Disk writes a recording to files as it is made, so that it outlives a process that is killed. A goroutine of its own
// does that. The scheduler never waits for it: where it lags behind, steps are left out, and a new file begins.
//
// A nil Disk writes nothing.
type Disk struct {
	dir   string
	limit int64
	head  Head
	clock func() time.Time
	fail  func(error)

	queue   chan queued
	ended   chan struct{}
	stop    sync.Once
	writing bool         // what is queued belongs to one recording without gaps; only the scheduler's goroutine uses it
	waiting atomic.Int64 // bytes of memory that queued steps keep
	rotate  atomic.Bool  // it is time for a new file

	file *os.File // from here on only the writer's goroutine uses it
	size *counted
	to   *encoder
	base int64 // size of the file's state
	n    int
}

// queued is a step, or the state that a new file begins with.
type queued struct {
	step  *Step
	bytes int64 // of memory that the step keeps
	base  *State
}

// Files of a flight recorder share what they may take: each of them is at most about a quarter.
const (
	filesOnDisk = 4
	mostQueued  = 4096
	mostWaiting = 64 << 20 // bytes of memory that queued steps keep
	flushEvery  = time.Second
	flight      = "ashlar-flight-"
)

// NewDisk returns a writer of recordings to a private folder, which is made if it is missing. The files there take
// together at most about limit bytes: the oldest are removed. fail is told of errors, by another goroutine. Close ends
// it.
func NewDisk(dir string, limit int64, h Head, clock func() time.Time, fail func(error)) (*Disk, error) {
	if err := private(dir); err != nil {
		return nil, err
	}
	d := &Disk{dir: dir, limit: limit, head: h, clock: clock, fail: fail, queue: make(chan queued, mostQueued),
		ended: make(chan struct{})}
	d.rotate.Store(true)
	return d, nil
}

// Run writes until Close. It is to be called once, by a goroutine of its own.
func (d *Disk) Run() {
	defer close(d.ended)
	flush := time.NewTicker(flushEvery)
	defer flush.Stop()
	for {
		select {
		case q, more := <-d.queue:
			if !more {
				d.closeFile()
				return
			}
			d.take(q)
			d.waiting.Add(-q.bytes)
		case <-flush.C:
			d.flush()
		}
	}
}

// Close has everything written that is queued, and returns when that is done. Nothing may be queued any more.
func (d *Disk) Close() {
	if d == nil {
		return
	}
	d.stop.Do(func() { close(d.queue) })
	<-d.ended
}

// part says that a part of a recording begins; where it is time for it a new file begins with it.
func (d *Disk) part(base State, facts func() []model.Fact) {
	if d == nil || !d.rotate.Load() && d.writing {
		return
	}
	if !d.writing && d.waiting.Load() > mostWaiting/2 {
		return // the disk is slower than what happens: it is to catch up first
	}
	base.Facts = facts()
	d.writing = d.send(queued{base: &base})
	if d.writing {
		d.rotate.Store(false)
	}
}

// step queues a step that does not change any more and keeps so many bytes of memory.
func (d *Disk) step(s *Step, bytes int64) {
	if d == nil || !d.writing {
		return
	}
	d.writing = d.waiting.Load()+bytes <= mostWaiting && d.send(queued{step: s, bytes: bytes})
}

// gap says that the next step does not follow from the last one.
func (d *Disk) gap() {
	if d != nil {
		d.writing = false
	}
}

func (d *Disk) send(q queued) bool {
	select {
	case d.queue <- q:
		d.waiting.Add(q.bytes)
		return true
	default:
		return false
	}
}

func (d *Disk) take(q queued) {
	if q.base != nil {
		d.closeFile()
		d.begin(*q.base)
		return
	}
	if d.to == nil {
		return
	}
	d.to.line(q.step)
	d.check()
	if full := d.limit / filesOnDisk; d.to != nil && d.size.n > max(full, 2*d.base) {
		d.rotate.Store(true)
	}
}

func (d *Disk) begin(base State) {
	d.n++
	now := d.clock()
	name := fmt.Sprintf("%s%s-%d-%03d%s", flight, now.UTC().Format("20060102T150405Z"), os.Getpid(), d.n, Ending)
	f, err := os.OpenFile(filepath.Join(d.dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		d.failed(err)
		return
	}
	h := d.head
	h.Saved = now.UnixNano()
	d.file, d.size = f, &counted{to: bufio.NewWriter(f)}
	d.to = newEncoder(d.size, h, base)
	d.flush()
	if d.size != nil {
		d.base = d.size.n
	}
	if err := Prune(d.dir, flight, d.limit, 0); err != nil {
		d.fail(err)
	}
}

// flush brings what was written so far to the file.
func (d *Disk) flush() {
	if d.to == nil {
		return
	}
	if d.to.err == nil {
		d.to.err = errors.Join(d.to.zip.Flush(), d.size.to.Flush())
	}
	d.check()
}

// check gives a file up that cannot be written. What it has can be read.
func (d *Disk) check() {
	if d.to == nil || d.to.err == nil {
		return
	}
	err := d.to.err
	_ = d.file.Close() // there is an error to tell already
	d.file, d.size, d.to = nil, nil, nil
	d.failed(err)
}

func (d *Disk) failed(err error) {
	d.rotate.Store(true) // the next part may have more luck
	d.fail(fmt.Errorf("write a recording to %s: %w", d.dir, err))
}

func (d *Disk) closeFile() {
	if d.to == nil {
		return
	}
	err := errors.Join(d.to.err, d.to.zip.Close(), d.size.to.Flush(), d.file.Close())
	d.file, d.size, d.to = nil, nil, nil
	if err != nil {
		d.fail(fmt.Errorf("write a recording to %s: %w", d.dir, err))
	}
}

// counted counts what is written.
type counted struct {
	to *bufio.Writer
	n  int64
}

// Write implements io.Writer.
func (c *counted) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

// Prune removes the oldest recordings of a folder with names that begin so, by their names, until they have at most so
// many bytes and, unless most is 0, so many files. The newest one stays.
func Prune(dir, prefix string, limit int64, most int) error {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return err
	}
	var files []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), Ending) {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	var bytes int64
	sizes := make([]int64, len(files))
	for i, f := range files {
		if about, err := os.Lstat(f); err == nil {
			sizes[i] = about.Size()
			bytes += sizes[i]
		}
	}
	for i := 0; i+1 < len(files) && (bytes > limit || most > 0 && len(files)-i > most); i++ {
		if err := os.Remove(files[i]); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		bytes -= sizes[i]
	}
	return nil
}
