package model

// customSpec draws the spec of a custom resource: as its CRD wants it, or with fields that it refuses, drops or
// fills in.
func (s *script) customSpec(resource string) map[string]any {
	spec := map[string]any{}
	switch resource {
	case "podgroups":
		spec = map[string]any{"minMember": 1 + s.random.IntN(3), "queue": "default"}
	case "queues":
		spec = map[string]any{"weight": 1 + s.random.IntN(3), "reclaimable": true, "dequeueStrategy": "traverse"}
	case "hypernodes":
		spec = map[string]any{"tier": 1 + s.random.IntN(2), "members": []any{s.member()}}
	case "bookings":
		spec = s.booked()
	case "nodeshards":
		spec = map[string]any{"nodesDesired": []any{s.one("thing-0", "thing-1")}}
	}
	if s.maybe(3) {
		fields := oddFields[resource]
		for range 1 + s.random.IntN(2) {
			field := fields[s.random.IntN(len(fields))]
			spec[field] = s.odd()
		}
	}
	return spec
}

// oddFields are those of specs and statuses that are given odd values: unknown ones among them.
var oddFields = map[string][]string{
	"podgroups": {"minMember", "queue", "minResources", "minTaskMember", "networkTopology", "subGroupPolicy", "nosuch",
		"priorityClassName"},
	"queues":         {"weight", "capability", "guarantee", "deserved", "parent", "priority", "dequeueStrategy", "nosuch"},
	"hypernodes":     {"tier", "members", "nosuch"},
	"nodeshards":     {"nodesDesired", "nosuch"},
	"numatopologies": {"cpuDetail", "policies", "resReserved", "nosuch"},
	"bookings": {"maintenance", "owner", "nodes", "from", "to", "schedule", "timeZone", "duration", "flex",
		"maxStartDelay", "drainBefore", "purgeAfterIdle", "nosuch"},
	"status": {"phase", "running", "conditions", "state", "allocated", "pending", "nodeCount", "nodesInUse", "nosuch",
		"reservation", "window", "nodes", "conflicts", "message"},
}

// booked draws what a booking books, mostly as its rules want it.
func (s *script) booked() map[string]any {
	spec := map[string]any{"nodes": map[string]any{"selector": map[string]any{}, "count": s.random.IntN(2)}}
	if s.maybe(2) {
		spec["maintenance"] = true
	}
	if spec["maintenance"] == nil || s.maybe(8) {
		spec["owner"] = map[string]any{s.one("queue", "namespace", "user", "podGroup"): "a"}
	}
	if s.maybe(2) {
		spec["from"], spec["to"] = "2026-01-0"+s.one("1", "2", "3")+"T00:00:00Z", "2026-01-02T00:00:00Z"
	}
	if spec["from"] == nil || s.maybe(8) {
		spec["schedule"], spec["duration"] = "0 22 * * 6", s.one("8h", "90m", "0m", "long")
	}
	if s.maybe(3) {
		spec[s.one("timeZone", "maxStartDelay", "purgeAfterIdle", "drainBefore")] = s.one("UTC", "10m", "0s", "1h30m")
	}
	return spec
}

// odd draws a value that may be of any type.
func (s *script) odd() any {
	return []any{nil, -1, 0, 1, 1 << 40, 1.5, "", "a", "A_", "Running", "Open", "10", true, []any{}, []any{"a"},
		[]any{map[string]any{"type": "Scheduled", "nosuch": 1, "lastTransitionTime": s.one("2026-01-01T00:00:00Z", "now")}},
		[]any{s.member()}, []any{map[string]any{"name": "a"}}, []any{map[string]any{"subGroupSize": 0}},
		map[string]any{}, map[string]any{"cpu": s.one("1", "1Gi", "x", "-1", "1e16")}, map[string]any{"cpu": 1},
		map[string]any{"mode": s.one("soft", "other")}, map[string]any{"highestTierAllowed": nil},
		map[string]any{"resource": map[string]any{"cpu": "2"}}, map[string]any{"a": map[string]any{"numa": -1, "b": 1}},
	}[s.random.IntN(26)]
}

// member draws a member of a HyperNode, which has one selector, none or two.
func (s *script) member() map[string]any {
	selector := map[string]any{}
	if !s.maybe(8) {
		selector["exactMatch"] = map[string]any{"name": "thing-0"}
	}
	if s.maybe(6) {
		selector["regexMatch"] = map[string]any{"pattern": s.one("thing-.*", "", "x")}
	}
	return map[string]any{"type": s.one("Node", "Node", "HyperNode", "Rack"), "selector": selector}
}

// customStatus draws a status.
func (s *script) customStatus() map[string]any {
	out := map[string]any{}
	for range 1 + s.random.IntN(3) {
		out[oddFields["status"][s.random.IntN(len(oddFields["status"]))]] = s.odd()
	}
	return out
}
