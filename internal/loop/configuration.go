package loop

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/kube/carry"
	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/sched"
	"ashlar.sh/sched/policy"
)

// look is how often the configuration's file is looked at. It is compared by content,
// so it makes no difference how it is replaced (a kubelet swaps a symlink above it).
const look = 2 * time.Second

// configuration is the file and what was made of it.
type configuration struct {
	path    string
	mode    config.Mode
	text    []byte // as last read, good or bad
	taken   []byte // as holds; nil: the default
	profile policy.Profile
	looked  time.Time
	watch   policy.Stopwatch // nil: nobody measures
	plugins []policy.Definition
}

func newConfiguration(o Options) (*configuration, error) {
	c := &configuration{path: o.ConfigFile, mode: o.Mode, looked: time.Now(), plugins: o.Plugins}
	if c.path == "" {
		c.takeDefault()
		return c, nil
	}
	text, err := os.ReadFile(c.path)
	if err == nil {
		c.text = text
		if c.profile, err = c.parse(); err == nil {
			c.taken = text
		}
	}
	switch {
	case err == nil:
		return c, nil
	case o.FallBack:
		klog.ErrorS(err, "The configuration cannot be used; Volcano's default holds until it can", "file", c.path)
		c.takeDefault()
		return c, nil
	default:
		return nil, err
	}
}

func (c *configuration) takeDefault() {
	chosen := config.Default()
	warn(chosen.Unbuilt())
	c.profile = profile.Of(chosen, policy.Names(c.plugins)...)
}

// parse makes a profile of the text. Its error has a line for each problem.
func (c *configuration) parse() (policy.Profile, error) {
	chosen, problems := config.Parse(config.Source{File: c.path}, c.text, config.Volcano().With(policy.Names(c.plugins)...), c.mode)
	if chosen == nil {
		lines := make([]string, 0, len(problems))
		for _, p := range problems {
			lines = append(lines, p.String())
		}
		return policy.Profile{}, fmt.Errorf("%s", strings.Join(lines, "\n"))
	}
	warn(problems)
	for line := range strings.Lines(string(c.text)) {
		klog.V(2).Info(strings.TrimRight(line, "\n"))
	}
	return profile.Of(chosen, policy.Names(c.plugins)...), nil
}

func warn(problems []config.Problem) {
	for _, p := range problems {
		klog.Warning(p.String())
	}
}

// inEffect is the text that holds, "" for the default.
func (c *configuration) inEffect() string { return string(c.taken) }

// changed reads the file, if it is time, and says whether it holds another profile. The
// error says what is bad about a new content, once; it leaves things as they are.
func (c *configuration) changed() (bool, error) {
	if c.path == "" || time.Since(c.looked) < look {
		return false, nil
	}
	c.looked = time.Now()
	text, err := os.ReadFile(c.path)
	if err != nil || bytes.Equal(text, c.text) {
		return false, nil // a file that is not there for a moment is being replaced
	}
	c.text = text
	next, err := c.parse()
	if err != nil {
		return false, err
	}
	c.profile, c.taken = next, text
	return true, nil
}

func (c *configuration) engine(o Options) (*sched.Engine, error) {
	with := slices.Clone(o.Engine)
	if c.watch != nil {
		with = append(with, sched.WithStopwatch(c.watch))
	}
	with = append(with, sched.WithPlugin(filters.Predicates()))
	for _, d := range c.plugins {
		with = append(with, sched.WithPlugin(d))
	}
	e, err := sched.New(c.profile, with...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.path, err)
	}
	return e, nil
}

// volumeWait is how long a pod's volumes may take to be bound.
func (c *configuration) volumeWait() time.Duration {
	for _, tier := range c.profile.Tiers {
		for _, choice := range tier {
			seconds, err := choice.Arguments.Int("volumebinding.bindTimeoutSeconds", 0)
			if err == nil && seconds > 0 {
				return time.Duration(seconds) * time.Second
			}
		}
	}
	return carry.DefaultVolumeWait
}

// reload makes the engine anew when the configuration changed: what is known and what
// was decided moves over.
func (l *loop) reload() {
	before, text := l.conf.profile, l.conf.taken
	changed, err := l.conf.changed()
	if err == nil && !changed {
		return
	}
	var next *sched.Engine
	if err == nil {
		next, err = l.conf.engine(l.o)
	}
	if err != nil {
		l.conf.profile, l.conf.taken = before, text
		klog.ErrorS(err, "The new configuration cannot be used: the old one stays", "file", l.conf.path)
		l.metrics.reloads.WithLabelValues("error").Inc()
		return
	}
	l.guard("taking a new configuration", func() {
		next.Apply(l.engine.Facts()...)
		next.Restore(l.engine.Commitments())
		l.engine = next
		l.health.configured(l.conf)
		if l.reads.of(next) {
			l.seen.Look()
		}
		klog.InfoS("A new configuration holds", "file", l.conf.path)
		l.metrics.reloads.WithLabelValues("success").Inc()
	})
}
