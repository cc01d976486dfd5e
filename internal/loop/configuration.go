package loop

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/crash"
	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/plugins/predicates"
	"ashlar.sh/sched/policy"
)

// look is how often the configuration's file is looked at. It is compared by content,
// so it makes no difference how it is replaced (a kubelet swaps a symlink above it).
const look = 2 * time.Second

// configuration is the file and what was made of it.
type configuration struct {
	path    string
	mode    config.Mode
	text    []byte            // as last read, good or bad
	taken   string            // as holds; "": the default
	glanced []byte            // what the file held last that can be used, while this scheduler stood by; nil: what holds
	chosen  *config.Scheduler // as holds
	profile policy.Profile    // of chosen, without what could not be used
	refused error             // why the file was not taken at the start
	looked  time.Time
	zone    *time.Location   // in which hours are read that name no offset
	offset  string           // of zone from UTC, as it holds: +08:00
	awaited awaitedEngine    // of the file, while it reads kinds that are not listed yet
	watch   policy.Stopwatch // nil: nothing is measured
	plugins []policy.Definition

	selectors *devices.Programs // of resource claims, compiled for whatever engine there is
}

func newConfiguration(o Options) (*configuration, error) {
	c := &configuration{path: o.ConfigFile, mode: o.Mode, looked: time.Now(), zone: time.Local, plugins: o.Plugins,
		selectors: devices.NewPrograms()}
	c.offset = c.offsetNow()
	if c.path == "" {
		c.takeDefault()
		return c, nil
	}
	text, err := os.ReadFile(c.path)
	if err == nil {
		c.text = text
		err = c.take(text)
	}
	switch {
	case err == nil:
		return c, nil
	case o.FallBack:
		c.refused = err
		klog.ErrorS(err, "The configuration cannot be used; Volcano's default holds until it can", "file", c.path)
		c.takeDefault()
		return c, nil
	default:
		return nil, err
	}
}

func (c *configuration) takeDefault() {
	c.chosen = config.Default()
	warn(c.chosen.Unbuilt())
	c.profile = profile.Of(c.chosen)
}

// take makes a text the configuration that holds. Its error has a line for each problem, and leaves things as they are.
func (c *configuration) take(text []byte) error {
	chosen, problems := config.Parse(config.Source{File: c.path}, text, config.Volcano().With(c.plugins...), c.mode)
	if chosen == nil {
		lines := make([]string, 0, len(problems))
		for _, p := range problems {
			lines = append(lines, p.String())
		}
		return fmt.Errorf("%s", strings.Join(lines, "\n"))
	}
	warn(problems)
	for line := range strings.Lines(string(text)) {
		klog.V(2).Info(strings.TrimRight(line, "\n"))
	}
	c.chosen, c.profile, c.taken = chosen, profile.Of(chosen), string(text)
	return nil
}

func warn(problems []config.Problem) {
	for _, p := range problems {
		klog.Warning(p.String())
	}
}

// inEffect is the text that holds, "" for the default.
func (c *configuration) inEffect() string { return c.taken }

// fileHolds says that the file as it was read last is what holds: it was not refused.
func (c *configuration) fileHolds() bool { return string(c.text) == c.taken }

// changed reads the file, if it is time, and says whether it holds another profile. The
// error says what is bad about a new content, once; it leaves things as they are.
func (c *configuration) changed() (bool, error) {
	if text := c.glanced; text != nil {
		c.looked, c.glanced = time.Time{}, nil // the file may hold another one by now
		return c.takeNew(text)
	}
	if c.path == "" || time.Since(c.looked) < look {
		return false, nil
	}
	c.looked = time.Now()
	text, err := os.ReadFile(c.path)
	if err != nil || bytes.Equal(text, c.text) { // a file that is not there for a moment is being replaced
		return c.offsetChanged(), nil
	}
	return c.takeNew(text)
}

// takeNew takes the content of the file in the place of the one before, and of one that is awaited.
func (c *configuration) takeNew(text []byte) (bool, error) {
	c.text, c.awaited = text, awaitedEngine{holds: c.awaited.holds}
	err := c.take(text)
	return err == nil, err
}

// glance notes what the file holds, if it is time, while this scheduler stands by. If the file cannot be used when it
// takes over, what the file held before that holds: the scheduler that acted until then goes by that, too.
func (c *configuration) glance() {
	if c.path == "" || time.Since(c.looked) < look {
		return
	}
	c.looked = time.Now()
	text, err := os.ReadFile(c.path)
	switch {
	case err != nil || bytes.Equal(text, c.glanced):
	case bytes.Equal(text, c.text):
		c.glanced = nil
	default:
		chosen, _ := config.Parse(config.Source{File: c.path}, text, config.Volcano().With(c.plugins...), c.mode)
		if chosen != nil {
			c.glanced = text
		}
	}
}

// offsetChanged reports whether the time zone's distance from UTC has changed, as summer time begins and
// ends, for a plugin that reads hours there.
func (c *configuration) offsetChanged() bool {
	now := c.offsetNow()
	if now == c.offset {
		return false
	}
	before := profile.Local(c.profile, c.offset)
	c.offset = now
	return !reflect.DeepEqual(before, profile.Local(c.profile, now))
}

func (c *configuration) offsetNow() string { return time.Now().In(c.zone).Format("-07:00") }

func (c *configuration) engine(o Options) (*sched.Engine, error) {
	with := slices.Clone(o.Engine)
	if c.watch != nil {
		with = append(with, sched.WithStopwatch(c.watch))
	}
	with = append(with, recording.Pace(o.Period), sched.WithPlugin(filters.PredicatesWith(c.selectors)),
		sched.WithPlugin(filters.Capacity()))
	for _, d := range c.plugins {
		with = append(with, sched.WithPlugin(d))
	}
	for {
		e, err := sched.New(profile.Local(c.profile, c.offset), with...)
		if err == nil {
			return e, nil
		}
		instead, ok := "", false
		if c.mode == config.Lenient {
			instead, ok = leaveOut(&c.profile, err)
		}
		if !ok {
			return nil, c.chosen.Locate(err)
		}
		klog.Warningf("%v; %s", c.chosen.Locate(err), instead)
	}
}

// leaveOut takes from a profile what an engine could not be made with: the argument that is
// to blame, else the plugin. It says what holds instead; false where neither is to blame.
func leaveOut(p *policy.Profile, because error) (instead string, ok bool) {
	var plugin *policy.BuildError
	if !errors.As(because, &plugin) || plugin.Of != "plugin" {
		return "", false
	}
	var argument *policy.ArgumentError
	known := errors.As(because, &argument)
	for i, tier := range p.Tiers {
		at := slices.IndexFunc(tier, func(c policy.Choice) bool { return c.Plugin == plugin.Name })
		if at < 0 {
			continue
		}
		tier = slices.Clone(tier)
		if p.Tiers[i] = tier; known {
			if _, written := tier[at].Arguments[argument.Key]; written {
				tier[at].Arguments = maps.Clone(tier[at].Arguments)
				delete(tier[at].Arguments, argument.Key)
				return "the argument is left out and its default holds", true
			}
		}
		p.Tiers[i] = slices.Delete(tier, at, at+1)
		return "the plugin is left out", true
	}
	return "", false
}

// volumeWait is how long a pod's volumes may take to be bound.
func (c *configuration) volumeWait() time.Duration {
	for _, tier := range c.profile.Tiers {
		for _, choice := range tier {
			if choice.Plugin != predicates.Name {
				continue
			}
			if a, err := policy.Read[predicates.Arguments](choice); err == nil && a.BindTimeout > 0 {
				return time.Duration(a.BindTimeout) * time.Second
			}
		}
	}
	return execute.DefaultVolumeWait
}

// reload makes the engine anew when the configuration changed: what is known and what
// was decided moves over. A configuration with which that panics is not taken, and one that reads more kinds than the
// one before is taken once these have been listed.
func (l *loop) reload() {
	before, text, chosen := l.conf.profile, l.conf.taken, l.conf.chosen
	held := profile.Local(before, l.conf.offset)
	var changed, early bool
	var next *sched.Engine
	var err error
	if panicked := crash.Handler(l.panicked).Recover("reading a new configuration", func() {
		if changed, err = l.conf.changed(); err != nil || !changed {
			return
		}
		if next, err = l.conf.engine(l.o); err != nil {
			return
		}
		if early = l.awaits(next); !early {
			l.move(next)
		}
	}); panicked != nil {
		err = panicked
	}
	if err == nil && !changed {
		return
	}
	if err != nil || early {
		l.conf.profile, l.conf.taken, l.conf.chosen = before, text, chosen
	}
	switch {
	case err != nil:
		l.configurationRefusedBy(err)
	case early:
		l.conf.awaited.engine, l.conf.awaited.since = next, time.Now()
		klog.InfoS("A new configuration reads more kinds: it is taken once they have been listed", "file", l.conf.path)
	default:
		l.input.recorder.reloaded()
		l.engine = next
		l.conf.awaited.holds = l.conf.awaited.holds && l.conf.awaited.engine != nil
		l.background.plans.noteState() // no job is planned by the configuration before
		if l.reads.of(next, l.conf.awaited.engine) {
			l.observer.Look()
		}
		l.configurationChanged(held)
	}
}

// move gives an engine what the present one knows and holds.
func (l *loop) move(next *sched.Engine) {
	next.Apply(l.engine.Facts()...)
	next.Restore(l.engine.LastCheckpoint())
	next.Checkpoint()
}
