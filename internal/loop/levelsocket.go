package loop

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"k8s.io/klog/v2"
)

// levelSocket is the name of the socket that Volcano's scheduler listens on for the log
// level, in the folder that DEBUG_SOCKET_DIR names.
const levelSocket = "vc-scheduler-klog.sock"

// levels answers on that socket:
//
//	curl --unix-socket $DEBUG_SOCKET_DIR/vc-scheduler-klog.sock "http://localhost/setlevel?level=4&duration=60s"
//
// sets klog's -v, with a duration for that long and then back to what it was before.
// /getlevel says what it is.
type levels struct {
	mu     sync.Mutex
	now    klog.Level
	before klog.Level  // what it goes back to
	back   *time.Timer // nil: it stays
}

// serveLevels listens until close is called. Without a folder it does not listen.
func serveLevels(folder string) (close func(), err error) {
	if folder == "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("a folder for the socket of the log level (DEBUG_SOCKET_DIR): %w", err)
	}
	path := filepath.Join(folder, levelSocket)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) { // of an earlier life
		return nil, fmt.Errorf("a socket for the log level (DEBUG_SOCKET_DIR): %w", err)
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("a socket for the log level (DEBUG_SOCKET_DIR): %w", err)
	}
	l := &levels{now: klog.Level(klogLevel())}
	mux := http.NewServeMux()
	mux.HandleFunc("/setlevel", l.set)
	mux.HandleFunc("/getlevel", l.get)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }() // its error is that it was closed
	return func() { _ = server.Close() }, nil
}

// klogLevel is the level that is on now, up to the highest that anything is logged at.
func klogLevel() (level int) {
	for klog.V(klog.Level(level+1)).Enabled() && level < 10 {
		level++
	}
	return level
}

func (l *levels) set(w http.ResponseWriter, r *http.Request) {
	level, err := strconv.ParseUint(r.FormValue("level"), 10, 8)
	if err != nil {
		http.Error(w, `level: not a log level such as 4, as in /setlevel?level=4&duration=60s`, http.StatusBadRequest)
		return
	}
	var lasts time.Duration
	if text := r.FormValue("duration"); text != "" {
		if lasts, err = time.ParseDuration(text); err != nil || lasts <= 0 {
			http.Error(w, "duration: not a positive duration such as 60s", http.StatusBadRequest)
			return
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.back == nil {
		l.before = l.now
	} else {
		l.back.Stop()
		l.back = nil
	}
	l.apply(klog.Level(level))
	if lasts > 0 {
		l.back = time.AfterFunc(lasts, l.restore)
	}
	_, _ = fmt.Fprintf(w, "the log level is %d\n", level) // the client may have gone
}

func (l *levels) restore() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.back != nil {
		l.back = nil
		l.apply(l.before)
	}
}

// apply sets the level; the lock is held.
func (l *levels) apply(to klog.Level) {
	var flag klog.Level
	if err := flag.Set(strconv.Itoa(int(to))); err == nil { // sets the process's
		klog.InfoS("The log level was set", "v", to)
		l.now = to
	}
}

func (l *levels) get(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, strconv.Itoa(klogLevel())+"\n") // the client may have gone
}
