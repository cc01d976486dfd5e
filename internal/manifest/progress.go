package manifest

import (
	"io"
	"sync"
)

// Progress is how far loading has come.
type Progress struct {
	File  string // as the user named it, "-" for standard input; "" once all files are read
	Bytes int    // of the file that have come, then that have been read
	Of    int    // bytes the file has; 0 while it is coming
	// Objects counts what was read of this file, or, once all files are read, what was
	// made ready of all.
	Objects int
}

// progressReports passes progress on, from whichever goroutine it comes, one call at a time. A nil
// one does nothing.
type progressReports struct {
	mu     sync.Mutex
	now    Progress
	report func(Progress)
}

// begin starts a file, or what follows the last one.
func (t *progressReports) begin(file string, size int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = Progress{File: file, Of: size}
	t.report(t.now)
}

// add counts bytes and objects.
func (t *progressReports) add(bytes, objects int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.Bytes += bytes
	t.now.Objects += objects
	t.report(t.now)
}

// reading is a reader that tells of what comes.
type reading struct {
	io.Reader
	progress *progressReports
}

// Read implements io.Reader.
func (r reading) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.progress.add(n, 0)
	return n, err
}
