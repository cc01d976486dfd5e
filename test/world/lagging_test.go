package world

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// stale are defects of a scheduler that takes over while what it hears lags: it has to know what its predecessor bound.
func stale() map[string]func() Breaks {
	behind := func(o *Options) {
		o.Schedulers, o.Nodes, o.Lasts = 2, 3, 8*time.Minute
		o.Trouble = Trouble{NetworkTrouble: NetworkTrouble{Lags: 20 * time.Second}, ServerTrouble: ServerTrouble{Stale: 1},
			ProcessTrouble: ProcessTrouble{Killed: 40 * time.Second}}
	}
	return map[string]func() Breaks{
		"takes an old list for what there is now": func() Breaks {
			return Breaks{wrap: with(fromAnyReplica), world: behind, shows: " cores since "}
		},
	}
}

// wide are defects that show in worlds with what not all have: zones, taints, devices, volumes, other versions.
func wide() map[string]func() Breaks {
	within := func(mix Trouble) func(*Options) {
		return func(o *Options) { o.Trouble, o.Devices, o.Volumes, o.Lasts = mix, true, true, 10*time.Minute }
	}
	changes := ClusterTrouble{Relabelled: 15 * time.Second, Tainted: 15 * time.Second}
	return map[string]func() Breaks{
		"does not see nodes leave a zone": func() Breaks {
			return Breaks{event: replaces("Node", `"`+otherZone+`"`, `"`+zones[0]+`"`), shows: "which asks for zone",
				world: within(Trouble{ClusterTrouble: changes})}
		},
		"does not see taints": func() Breaks {
			return Breaks{event: replaces("Node", `"NoSchedule"`, `"PreferNoSchedule"`), shows: "does not tolerate",
				world: within(Trouble{ClusterTrouble: changes})}
		},
		"gives one device to all claims": func() Breaks {
			return Breaks{wrap: with(firstDevice), shows: "gives device", world: within(Trouble{})}
		},
		"takes a claim that pods share for its own": func() Breaks {
			return Breaks{wrap: with(onlyLastConsumer), shows: "which has it still", world: func(o *Options) {
				o.Trouble, o.Devices, o.Shared, o.Lasts = Trouble{}, true, true, 10*time.Minute
			}}
		},
		"does not see drivers leave": func() Breaks {
			return Breaks{event: misses("ResourceSlice", "DELETED"), shows: "and its driver is gone",
				world: within(Trouble{ClusterTrouble: ClusterTrouble{Drivers: 15 * time.Second}})}
		},
		"takes devices of another node": func() Breaks {
			return Breaks{wrap: with(toOneNode), shows: "and has devices", world: within(Trouble{})}
		},
		"does not see that nodes expel pods": func() Breaks {
			return Breaks{event: replaces("Node", `"NoExecute"`, `"PreferNoSchedule"`), shows: "which expels it",
				world: within(Trouble{ClusterTrouble: ClusterTrouble{Expels: 15 * time.Second}})}
		},
		"does not see which claims are made for pods": func() Breaks {
			return Breaks{event: replaces("Pod", `"resourceClaimName":`, `"nothing":`), shows: "its claim does not have",
				world: func(o *Options) {
					o.Trouble, o.Devices, o.Templates, o.Lasts = Trouble{}, true, true, 10*time.Minute
				}}
		},
		"gives one volume to all claims": func() Breaks {
			return Breaks{request: givesFirst,
				shows: "gives volume", world: func(o *Options) {
					o.Trouble, o.Local, o.Lasts = Trouble{}, true, 10*time.Minute
				}}
		},
		"binds away from a volume": func() Breaks {
			return Breaks{wrap: with(toOneNode), shows: "and its volume is on", world: within(Trouble{})}
		},
		"writes over what a newer version keeps": func() Breaks {
			return Breaks{wrap: with(forgetful), shows: "in a form of a newer version", world: func(o *Options) {
				o.Usage, o.Lasts = true, 10*time.Minute
				o.Trouble = Trouble{ProcessTrouble: ProcessTrouble{Versions: 90 * time.Second}}
			}}
		},
	}
}

// firstDevice gives claims the first device of their nodes, whatever was chosen.
func firstDevice(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	if !strings.Contains(r.URL.Path, "/resourceclaims/") || r.Body == nil {
		return next.RoundTrip(r)
	}
	return changed(next, r, func(body string) string {
		return strings.NewReplacer("card-1", "card-0", "card-2", "card-0").Replace(body)
	})
}

// fromAnyReplica lists what any replica has where a list has to be what there is.
func fromAnyReplica(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	if q := r.URL.Query(); r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/pods") &&
		q.Get("resourceVersion") == "" && q.Get("watch") == "" && q.Get("continue") == "" {
		q.Set("resourceVersion", "0")
		url := *r.URL
		url.RawQuery = q.Encode()
		r = r.Clone(r.Context())
		r.URL = &url
	}
	return next.RoundTrip(r)
}

// onlyLastConsumer reserves a claim for one pod alone, of those that share it.
func onlyLastConsumer(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	if !strings.Contains(r.URL.Path, "/resourceclaims/") || r.Body == nil {
		return next.RoundTrip(r)
	}
	return changed(next, r, func(body string) string {
		var patch map[string]any
		if json.Unmarshal([]byte(body), &patch) != nil {
			return body
		}
		status := asMap(patch["status"])
		list, _ := status["reservedFor"].([]any)
		if len(list) < 2 {
			return body
		}
		status["reservedFor"] = list[len(list)-1:]
		text, _ := json.Marshal(patch) // it was read as JSON
		return string(text)
	})
}
