package loop

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/crash"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/recording"
)

// dump saves what the scheduler knows, for people to read: its facts, commitments and configuration, on
// which `ashlar replay` decides again, and the report. Each file holds the last dump of this process.
// Another goroutine writes the files; a dump that is requested meanwhile is left out.
func (bg *background) dump() {
	if !bg.dumping.TryLock() {
		klog.InfoS("The last dump is still being written: this one is left out")
		return
	}
	state := bg.known()
	report := explain.New(bg.l.engine.Report(), explain.Summary{}, nil)
	taken, kept := bg.recorder.ring.Take(bg.l.engine)
	crash.Handler(bg.l.panicked).Go("writing a dump", func() {
		defer bg.dumping.Unlock()
		if kept {
			defer bg.recorder.write(taken, fmt.Sprintf("ashlar-recording-%d", os.Getpid()), "signal", time.Now())
		}
		path, err := recording.Save(bg.l.o.DumpDir, "dump", state)
		if err != nil {
			klog.ErrorS(err, "Nothing was dumped")
			return
		}
		told := filepath.Join(bg.l.o.DumpDir, fmt.Sprintf("ashlar-report-%d.json", os.Getpid()))
		if err := saveReport(told, report); err != nil {
			klog.ErrorS(err, "The report was not dumped")
		}
		klog.InfoS("Dumped; ashlar replay decides on it again", "file", path, "report", told, "facts", len(state.Facts))
	})
}

// known is the state on which the engine is about to decide.
func (bg *background) known() recording.State {
	return recording.State{Version: bg.l.o.Version, Now: bg.l.now(), Period: bg.l.o.Period, Facts: bg.l.engine.Facts(),
		Commitments: bg.l.engine.Commitments(), Configuration: bg.l.conf.inEffect(), UTCOffset: bg.l.conf.offset}
}

func saveReport(path string, r *explain.Report) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(recording.NewBounded(f))
	if err := r.JSON(w); err != nil {
		_ = f.Close() // the first error is the one to tell
		return err
	}
	if err := w.Flush(); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
