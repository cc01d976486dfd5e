package world

import (
	"net/http"
	"os"
	"slices"
	"time"

	"ashlar.sh/internal/loop"
)

// misled are defects of what a life of a scheduler goes by: its configuration, its clock, windows that come again.
func misled() map[string]func() Breaks {
	return map[string]func() Breaks{
		"goes by a clock of its own": func() Breaks {
			return Breaks{options: func(o *loop.Options) { o.Simulated.Ahead += 3 * time.Hour },
				shows: "it is about a time to come", world: func(o *Options) {
					o.Reads, o.Asks, o.Trouble = true, 2*time.Second, Trouble{}
				}}
		},
		"keeps to its first configuration": func() Breaks {
			first := ""
			return Breaks{options: func(o *loop.Options) { o.ConfigFile = copyOnce(o.ConfigFile, &first) },
				shows: "which its configuration does not name", world: func(o *Options) {
					o.Nodes, o.Lasts = 2, 15*time.Minute
					o.Trouble = Trouble{ProcessTrouble: ProcessTrouble{Reloads: 2 * time.Minute}}
				}}
		},
		"does nothing while its configuration is refused": func() Breaks {
			return Breaks{options: obedient, shows: "has not ended", world: func(o *Options) {
				o.Schedulers, o.Trouble = 1, Trouble{}
			}}
		},
		"does not see that bookings recur": func() Breaks {
			return Breaks{event: replaces("Booking", `"*/15 * * * *"`, `"0 0 29 2 *"`), shows: "which is booked",
				world: func(o *Options) {
					o.Nodes, o.Lasts = 2, 40*time.Minute
					o.Trouble = Trouble{ClusterTrouble: ClusterTrouble{Booked: time.Minute}}
				}}
		},
	}
}

// copyOnce is a copy of a file as it was at the first call.
func copyOnce(path string, to *string) string {
	if text, err := os.ReadFile(path); *to == "" && err == nil && os.WriteFile(path+".first", text, 0o600) == nil {
		*to = path + ".first"
	}
	return *to
}

// obedient binds nothing while the file holds what cannot be used.
func obedient(o *loop.Options) {
	path := o.ConfigFile
	o.Config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return sender(func(r *http.Request) (*http.Response, error) {
			if text, err := os.ReadFile(path); isBinding(r) && (err != nil || slices.Contains(malformed, string(text))) {
				return nil, errRefused
			}
			return next.RoundTrip(r)
		})
	})
}
