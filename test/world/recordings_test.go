package world

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/internal/loop"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
)

// recorded is how much of what a life does is recorded: the files of some are kept small, so that new ones begin in the
// midst of things.
func (w *World) recorded(p *process) (o loop.Recording) {
	if none := w.Trouble.NoDisk || !w.chance(0.3); none && w.Breaks.step == nil { // a defect of recordings shows in them
		return loop.Recording{Memory: 1 << 20}
	}
	p.records = filepath.Join(w.conf.disk, p.name)
	o = loop.Recording{Dir: p.records, Memory: 1 << 20}
	if w.chance(0.3) {
		o.Memory, o.Disk = 64<<10, 400<<10
	}
	return o
}

// replay plays what a life recorded: every cycle has to be decided as it was, byte for byte. Of one that was killed the
// end is missing.
func (w *World) replay(p *process) {
	if p.records == "" {
		return
	}
	files, _ := filepath.Glob(filepath.Join(p.records, "ashlar-flight-*")) // the pattern is a good one
	for i, path := range files {
		torn := p.killed && i == len(files)-1 && w.chance(0.5)
		if torn {
			w.tear(path)
		}
		cycles, d, err := played(path, w.Breaks.step)
		switch {
		case err != nil && !torn:
			w.wrong("%s recorded what cannot be played: %v", p.name, err)
		case d != nil:
			w.wrong("%s decided otherwise than what it recorded says: %v", p.name, d)
		}
		w.result.Did["a cycle decided again"] += cycles
	}
	_ = os.RemoveAll(p.records) // it is in a folder that goes with the test
}

// tear removes the end of a file.
func (w *World) tear(path string) {
	about, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, w.random.Int64N(1+about.Size()))
	}
	if err != nil {
		w.wrong("a file that was recorded cannot be cut: %v", err)
	}
}

// played plays a recording, each step as a defect, if any, has changed it. It returns how many cycles there are, and
// the first difference.
func played(path string, defect func(*recording.Step)) (cycles int, d *recording.Difference, err error) {
	r, err := recording.Open(path)
	if err != nil {
		return 0, nil, err
	}
	player := recording.Player{Make: engineOf, After: func(*recording.Played) error { cycles++; return nil }}
	d, err = player.Play(r.Base, func() (*recording.Step, error) {
		step, err := r.Next()
		if err == nil && defect != nil {
			defect(step)
		}
		return step, err
	})
	return cycles, d, errors.Join(err, r.Close())
}

// engineOf makes an engine as a scheduler of the world has it, whose bug does not show.
func engineOf(s recording.Setting) (*sched.Engine, error) {
	bug := (&bug{}).plugin()
	chosen := config.Default()
	if s.Configuration != "" {
		var problems []config.Problem
		chosen, problems = config.Parse(config.Source{File: "recorded"}, []byte(s.Configuration),
			config.Volcano().With(bug), config.Strict)
		if chosen == nil {
			return nil, fmt.Errorf("the configuration cannot be used: %v", problems)
		}
	}
	return sched.New(profile.Local(profile.Of(chosen), s.UTCOffset), recording.Pace(s.Period),
		sched.WithPlugin(filters.Predicates()), sched.WithPlugin(filters.Capacity()), sched.WithPlugin(bug))
}
