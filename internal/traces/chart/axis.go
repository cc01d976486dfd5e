package chart

import (
	"fmt"
	"math"
	"time"
)

const day = 24 * time.Hour

// steps are the distances that ticks of time may have.
var steps = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, day, 2 * day, 5 * day, 10 * day, 20 * day, 50 * day,
	100 * day, 200 * day, 500 * day, 1000 * day, 2000 * day, 5000 * day, 10_000 * day}

// times are the ticks of an axis from 0 to an end: at most nine.
func times(end time.Duration) []time.Duration {
	step := steps[len(steps)-1]
	for _, s := range steps {
		if end/s <= 8 {
			step = s
			break
		}
	}
	var out []time.Duration
	for t := time.Duration(0); t <= end; t += step {
		out = append(out, t)
	}
	return out
}

// counts are the ticks of an axis from 0 to at least most: at most six.
func counts(most int64) []int64 {
	step := int64(1)
	for i := 0; (most+step-1)/step > 5; i++ {
		step = step / []int64{1, 2, 5}[i%3] * []int64{2, 5, 10}[i%3]
	}
	var out []int64
	for x := int64(0); ; x += step {
		if out = append(out, x); x >= most && x > 0 {
			return out
		}
	}
}

// decades are the ticks of an axis of delays, which is logarithmic but for its begin.
var decades = []struct {
	at   time.Duration
	name string
}{{0, "0"}, {time.Second, "1 s"}, {10 * time.Second, "10 s"}, {time.Minute, "1 min"}, {10 * time.Minute, "10 min"},
	{time.Hour, "1 h"},
	{10 * time.Hour, "10 h"}, {2 * day, "2 d"}, {10 * day, "10 d"}, {100 * day, "100 d"}, {1000 * day, "1000 d"},
	{10_000 * day, "10 000 d"}, {100_000 * day, "100 000 d"}}

// log is where a delay is on that axis, from 0 on.
func log(d time.Duration) float64 { return math.Log10(1 + max(0, d.Seconds())) }

// span is a time for people, in its largest units.
func span(d time.Duration) string {
	switch {
	case d < time.Second && d > 0:
		return fmt.Sprintf("%.2g s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int64(d.Round(time.Second)/time.Second))
	case d < 2*time.Hour:
		return pair(d.Round(time.Second), time.Minute, "min", time.Second, "s")
	case d < 2*day:
		return pair(d.Round(time.Minute), time.Hour, "h", time.Minute, "min")
	default:
		return pair(d.Round(time.Hour), day, "d", time.Hour, "h")
	}
}

func pair(d, large time.Duration, a string, small time.Duration, b string) string {
	if d%large/small == 0 {
		return fmt.Sprintf("%d %s", d/large, a)
	}
	return fmt.Sprintf("%d %s %d %s", d/large, a, d%large/small, b)
}
