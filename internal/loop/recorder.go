package loop

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/crash"
	"ashlar.sh/internal/recording"
)

// Recording says how much is kept of what the scheduler was told and decided, so that it can be decided again.
type Recording struct {
	Memory int64  // bytes; 0: DefaultRecording; below 0: nothing is kept
	Dir    string // where it is written, too, all the time; "": it is written when somebody asks or something happens
	Disk   int64  // bytes that the files in Dir may take together; 0: DefaultRecordingFiles
}

// The bounds of what is kept, in bytes.
const (
	DefaultRecording      = 64 << 20
	DefaultRecordingFiles = 1 << 30
)

// recordings is the folder for recordings in Options.DumpDir.
const recordings = "ashlar-recordings"

// recorder keeps what was lately done with the engine, and saves it when something happened that people will ask about.
type recorder struct {
	l    *loop
	ring *recording.Ring
	disk *recording.Disk

	due     time.Time // when what surrounds an incident is saved; zero: none is waiting
	reason  string    // of that incident
	savedAt map[string]time.Time

	reasons reasonHistory
}

// What surrounds an incident is saved a while after it, so that its consequences are in it; for one reason it is not
// saved again soon.
const (
	aftermath     = 5 * time.Second
	sameIncident  = 10 * time.Minute
	mostIncidents = 8
	incidentBytes = 256 << 20
)

// start begins to keep what is done with the engine, if that is wanted.
func (rc *recorder) start() error {
	o := rc.l.o.Recording
	rc.savedAt = map[string]time.Time{}
	if o.Memory < 0 {
		return nil
	}
	if o.Memory == 0 {
		o.Memory = DefaultRecording
	}
	rc.ring = recording.NewRing(o.Memory, time.Now)
	if o.Dir == "" {
		return nil
	}
	if o.Disk == 0 {
		o.Disk = DefaultRecordingFiles
	}
	disk, err := recording.NewDisk(o.Dir, o.Disk, recording.Head{Version: rc.l.o.Version, Reason: "flight"}, time.Now,
		func(err error) { klog.ErrorS(err, "Some of what is done is not recorded") })
	if err != nil {
		return fmt.Errorf("the folder for recordings: %w", err)
	}
	rc.disk, rc.ring.To = disk, disk
	crash.Handler(rc.l.panicked).Go("writing a recording", disk.Run)
	return nil
}

// about is what a recording says of this scheduler.
func (rc *recorder) about() recording.About {
	return recording.About{Version: rc.l.o.Version, Period: rc.l.o.Period, Configuration: rc.l.conf.inEffect(),
		UTCOffset: rc.l.conf.offset}
}

// reloaded notes that the engine is made anew of another configuration.
func (rc *recorder) reloaded() { rc.ring.Remade(rc.about()) }

// remade begins anew, since the engine was made of other facts than it had.
func (rc *recorder) remade() {
	rc.ring.Forget()
	rc.reasons = reasonHistory{}
}

// stop ends what writes to the disk.
func (rc *recorder) stop() { rc.disk.Close() }

// incident has what surrounds this moment saved, a while later; unless that was done for the same reason lately.
func (rc *recorder) incident(reason string) {
	if rc.ring == nil || !rc.due.IsZero() || time.Since(rc.savedAt[reason]) < sameIncident &&
		!rc.savedAt[reason].IsZero() {
		return
	}
	rc.due, rc.reason = time.Now().Add(aftermath), reason
}

// tend saves what surrounds an incident, if it is time.
func (rc *recorder) tend() {
	if rc.due.IsZero() || time.Now().Before(rc.due) {
		return
	}
	rc.due = time.Time{}
	rc.save(rc.reason)
}

// broken saves at once what led to a panic or a wrong figure, and begins anew: the engine will be another one.
func (rc *recorder) broken(reason string) {
	rc.l.withoutPanic("saving a recording", func() { rc.save(reason) })
	rc.due = time.Time{}
}

// save writes what is kept to a file. Another goroutine does; what is to be saved while it does is left out.
func (rc *recorder) save(reason string) {
	taken, ok := rc.ring.Take(rc.l.engine)
	if !ok {
		return
	}
	if !rc.l.background.dumping.TryLock() {
		klog.InfoS("Another recording is still being written: this one is left out", "reason", reason)
		return
	}
	now := time.Now()
	rc.savedAt[reason] = now
	crash.Handler(rc.l.panicked).Go("writing a recording", func() {
		defer rc.l.background.dumping.Unlock()
		rc.write(taken, fmt.Sprintf("ashlar-incident-%s-%s-%d", now.UTC().Format("20060102T150405Z"), reason, os.Getpid()),
			reason, now)
		if err := recording.Prune(rc.dir(), "ashlar-incident-", incidentBytes, mostIncidents); err != nil {
			klog.ErrorS(err, "Old recordings stay")
		}
	})
}

func (rc *recorder) dir() string { return filepath.Join(rc.l.o.DumpDir, recordings) }

func (rc *recorder) write(taken recording.Taken, name, reason string, now time.Time) {
	path, err := taken.Write(rc.dir(), name+recording.Ending, recording.Head{Version: rc.l.o.Version, Reason: reason,
		Saved: now.UnixNano()})
	if err != nil {
		klog.ErrorS(err, "Nothing was recorded", "reason", reason)
		return
	}
	klog.InfoS("Saved what was done lately; ashlar replay --step goes through it", "file", path, "reason", reason,
		"steps", taken.Len())
}
