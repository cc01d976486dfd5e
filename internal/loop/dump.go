package loop

import (
	"fmt"
	"os"
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
	taken, kept := bg.l.input.recorder.ring.Take(bg.l.engine)
	crash.Handler(bg.l.panicked).Go("writing a dump", func() {
		defer bg.dumping.Unlock()
		if kept {
			defer bg.l.input.recorder.write(taken, fmt.Sprintf("ashlar-recording-%d", os.Getpid()), "signal", time.Now())
		}
		path, err := recording.Save(bg.l.input.recorder.dir(), "dump", state)
		if err != nil {
			klog.ErrorS(err, "Nothing was dumped")
			return
		}
		told, err := recording.SaveText(bg.l.input.recorder.dir(), "report", report.JSON)
		if err != nil {
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
