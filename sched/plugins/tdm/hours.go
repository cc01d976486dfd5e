package tdm

import (
	"fmt"
	"strings"
	"time"

	"ashlar.sh/sched/policy"
)

// hours are a part of every day: from and to are nanoseconds after midnight. It includes
// from and not to, and goes over midnight when to is not after from.
type hours struct{ from, to int64 }

const day = int64(24 * time.Hour)

// readHours reads 22:00-06:30.
func readHours(text string) (hours, error) {
	from, to, ok := strings.Cut(text, "-")
	if ok {
		a, err := time.Parse("15:04", strings.TrimSpace(from))
		b, wrong := time.Parse("15:04", strings.TrimSpace(to))
		if err == nil && wrong == nil {
			return hours{sinceMidnight(a), sinceMidnight(b)}, nil
		}
	}
	return hours{}, fmt.Errorf("%q is no part of a day such as 22:00-06:30", text)
}

func sinceMidnight(t time.Time) int64 {
	return int64(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute)
}

// at says whether a time, in nanoseconds since the epoch at the place meant, is within the
// hours, and when that turns next. All of a day never turns: the next midnight is as good.
func (h hours) at(local int64) (within bool, turn int64) {
	midnight := local - mod(local, day)
	clock := local - midnight
	if h.from < h.to {
		within = h.from <= clock && clock < h.to
	} else {
		within = clock < h.to || h.from <= clock
	}
	turn = midnight + day + min(h.from, h.to)
	for _, at := range [...]int64{min(h.from, h.to), max(h.from, h.to)} {
		if at > clock {
			return within, midnight + at
		}
	}
	return within, turn
}

func mod(a, n int64) int64 { return (a%n + n) % n }

// offset reads +08:00 as nanoseconds; nothing is UTC.
func offset(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	t, err := time.Parse("-07:00", text)
	if err != nil {
		return 0, policy.BadArgument(OffsetKey, "%q is no distance from UTC such as +08:00", text)
	}
	_, seconds := t.Zone()
	return int64(seconds) * int64(time.Second), nil
}
