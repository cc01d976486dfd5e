package model

import (
	"math"
	"testing"
)

const second = int64(1_000_000_000)

func TestHowLongAPodRuns(t *testing.T) {
	group := &PodGroup{Lasts: 40 * second}
	for name, c := range map[string]struct {
		times     Times
		grace     int64
		group     *PodGroup
		predicted int64
		ran       int64
		want      RunTime
		latest    int64 // since the start
		expects   int64
	}{
		"nothing is said": {ran: 5 * second, want: RunTime{}, latest: Never, expects: Never},
		"a limit is enforced, with its grace": {times: Times{Limit: 100 * second}, grace: 30 * second,
			want:   RunTime{Limit: 130 * second, Expected: 130 * second, Source: TimeEnforced},
			latest: 130 * second, expects: 130 * second},
		"a guess is declared": {times: Times{Lasts: 60 * second},
			want: RunTime{Expected: 60 * second, Source: TimeDeclared}, latest: Never, expects: 60 * second},
		"the group's guess holds for pods without their own": {group: group,
			want: RunTime{Expected: 40 * second, Source: TimeDeclared}, latest: Never, expects: 40 * second},
		"the pod's own guess comes first": {times: Times{Lasts: 60 * second}, group: group,
			want: RunTime{Expected: 60 * second, Source: TimeDeclared}, latest: Never, expects: 60 * second},
		"what earlier runs tell counts where nothing is said": {predicted: 30 * second, ran: 5 * second,
			want: RunTime{Expected: 30 * second, Source: TimePredicted}, latest: Never, expects: 30 * second},
		"the author's guess comes before it": {group: group, predicted: 30 * second,
			want: RunTime{Expected: 40 * second, Source: TimeDeclared}, latest: Never, expects: 40 * second},
		"it is extended as a guess is": {predicted: 30 * second, ran: 70 * second,
			want: RunTime{Expected: 90 * second, Source: TimePredicted}, latest: Never, expects: 90 * second},
		"not beyond the limit either": {predicted: 30 * second, times: Times{Limit: 80 * second}, ran: 70 * second,
			want:   RunTime{Limit: 80 * second, Expected: 80 * second, Source: TimeEnforced},
			latest: 80 * second, expects: 80 * second},
		"a guess that is just reached is extended": {times: Times{Lasts: 60 * second}, ran: 60 * second,
			want: RunTime{Expected: 120 * second, Source: TimeDeclared}, latest: Never, expects: 120 * second},
		"a guess is extended by itself each time": {times: Times{Lasts: 60 * second}, ran: 200 * second,
			want: RunTime{Expected: 240 * second, Source: TimeDeclared}, latest: Never, expects: 240 * second},
		"not beyond the limit": {times: Times{Lasts: 60 * second, Limit: 100 * second}, ran: 70 * second,
			want:   RunTime{Limit: 100 * second, Expected: 100 * second, Source: TimeEnforced},
			latest: 100 * second, expects: 100 * second},
		"a guess above the limit is the limit": {times: Times{Lasts: 600 * second, Limit: 100 * second},
			want:   RunTime{Limit: 100 * second, Expected: 100 * second, Source: TimeEnforced},
			latest: 100 * second, expects: 100 * second},
		"a guess of a nanosecond, long outlived": {times: Times{Lasts: 1}, ran: 3600 * second,
			want:   RunTime{Expected: 3600*second + 1, Source: TimeDeclared},
			latest: Never, expects: 3600*second + 1},
		"the longest guess and limit": {times: Times{Lasts: math.MaxInt64, Limit: math.MaxInt64}, grace: 30 * second,
			want: RunTime{Limit: Never, Expected: Never, Source: TimeEnforced}, latest: Never, expects: Never},
		"what its Volcano Job says comes after what its PodGroup says": {
			group: &PodGroup{Lasts: 40 * second, Estimate: 70 * second},
			want:  RunTime{Expected: 40 * second, Source: TimeDeclared}, latest: Never, expects: 40 * second},
		"what its Volcano Job says comes before earlier runs": {group: &PodGroup{Estimate: 70 * second},
			predicted: 30 * second,
			want:      RunTime{Expected: 70 * second, Source: TimeEstimated}, latest: Never, expects: 70 * second},
		"what its Volcano Job says is extended, too": {group: &PodGroup{Estimate: 70 * second}, ran: 80 * second,
			want: RunTime{Expected: 140 * second, Source: TimeEstimated}, latest: Never, expects: 140 * second},
		"a PodGroup without a guess leaves earlier runs": {group: &PodGroup{}, predicted: 30 * second,
			want: RunTime{Expected: 30 * second, Source: TimePredicted}, latest: Never, expects: 30 * second},
	} {
		t.Run(name, func(t *testing.T) {
			const start = 1_000_000 * second
			p := &Pod{Grace: c.grace, Started: start, Phase: PodRunning}
			p.SetRare(c.times)
			if got := p.RunTime(c.group, c.predicted, start+c.ran); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			latest, expected, source := p.Ends(c.group, c.predicted, start+c.ran)
			if latest != After(start, c.latest) || expected != After(start, c.expects) || source != c.want.Source {
				t.Errorf("ends %d, expected %d (%s)", latest-start, expected-start, source)
			}
		})
	}
}

func TestAPodThatLingers(t *testing.T) {
	const hour = 3600 * second
	for name, c := range map[string]struct {
		deleting    bool
		goneBy, now int64
		grace       int64
		lingers     bool
		until       int64
	}{
		"it was not asked to leave":         {false, 0, 50 * second, 0, false, Never},
		"it is not known until when it may": {true, 0, 50 * second, 0, false, Never},
		"within its grace":                  {true, 60 * second, 50 * second, 30 * second, false, 120 * second},
		"less than a minute late":           {true, 60 * second, 120*second - 1, 30 * second, false, 120 * second},
		"a minute late":                     {true, 60 * second, 120 * second, 30 * second, true, Never},
		"more than an hour ahead":           {true, 9 * hour, 8*hour - 60*second - 1, 0, true, 8*hour - 60*second},
		"an hour ahead":                     {true, 9 * hour, 8 * hour, 0, false, 9*hour + 60*second},
		"at the end of time":                {true, Never, 8 * hour, 0, true, Never - hour - 60*second},
		"at the beginning of its own day":   {true, 24 * hour, 0, 24 * hour, false, hour + 60*second},
		"an hour and a minute of its day":   {true, 24 * hour, hour + 60*second, 24 * hour, true, 23 * hour},
		"the last hour of its day":          {true, 24 * hour, 23 * hour, 24 * hour, false, 24*hour + 60*second},
		"with less than its own day":        {true, 30 * second, 10 * second, 24 * hour, false, 90 * second},
	} {
		t.Run(name, func(t *testing.T) {
			p := Pod{Deleting: c.deleting, Grace: c.grace, Times: &Times{GoneBy: c.goneBy}}
			if lingers, until := p.Lingers(c.now); lingers != c.lingers || until != c.until {
				t.Errorf("it lingers: %v until %d, want %v until %d", lingers, until, c.lingers, c.until)
			}
		})
	}
}

func TestWhenAPodEnds(t *testing.T) {
	limited := &Times{Limit: 100 * second}
	for name, c := range map[string]struct {
		pod         Pod
		now, latest int64
	}{
		"one that has not started counts from now": {Pod{Times: limited}, 50 * second, 150 * second},
		"one that a file shows running counts from its creation": {
			Pod{Meta: Meta{Created: 10 * second}, Phase: PodRunning,
				Times: limited}, 50 * second, 110 * second},
		"a clock that jumped back": {Pod{Started: 90 * second, Times: limited}, 50 * second, 150 * second},
		"one that was asked to leave": {
			Pod{Started: 1, Deleting: true, Times: &Times{GoneBy: 60 * second}},
			50 * second, 60 * second},
		"one that has not left a moment after its grace": {
			Pod{Started: 1, Deleting: true, Times: &Times{GoneBy: 60 * second}},
			119 * second, 60 * second},
		"one that should have left a minute ago": {
			Pod{Started: 1, Deleting: true, Times: &Times{GoneBy: 60 * second}},
			120 * second, Never},
	} {
		t.Run(name, func(t *testing.T) {
			if latest, _, _ := c.pod.Ends(nil, 0, c.now); latest != c.latest {
				t.Errorf("%d s, want %d s", latest/second, c.latest/second)
			}
		})
	}
}
