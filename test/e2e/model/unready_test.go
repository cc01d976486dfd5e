package model

import "net/http"

// unready evicts a pod that runs and is not ready, with the version of another object as precondition. Where a budget
// does not count such a pod, the API server puts the pod's own version in the place of the one that the client named.
func (s *script) unready() {
	pod := subject{s.kinds.Kind("", "pods"), namespaces[0], "unready"}
	budget := subject{s.kinds.Kind("policy", "poddisruptionbudgets"), namespaces[0], "unready"}
	if s.differ[pod.resource()] || s.differ[budget.resource()] {
		return
	}
	own := map[string]any{"colour": "white"}
	spares := s.object(budget)
	spares["metadata"] = map[string]any{"name": budget.name, "namespace": budget.namespace}
	spares["spec"] = map[string]any{"minAvailable": 1, "selector": map[string]any{"matchLabels": own}}
	s.known(http.MethodPost, budget, budget.all(), spares)
	running := func() {
		o := s.object(pod)
		o["metadata"] = map[string]any{"name": pod.name, "namespace": pod.namespace, "labels": own}
		s.known(http.MethodPost, pod, pod.all(), o)
		s.known(http.MethodPatch, pod, pod.path("status"), map[string]any{"status": map[string]any{"phase": "Running"}})
	}
	allows := func(allowed, healthy int) {
		s.known(http.MethodPatch, budget, budget.path("status"), map[string]any{"status": map[string]any{
			"disruptionsAllowed": allowed, "observedGeneration": 1, "currentHealthy": healthy, "desiredHealthy": 1,
			"expectedPods": 1}})
	}
	evict := func(options map[string]any) {
		s.known(http.MethodPost, pod, pod.path("eviction"), map[string]any{"apiVersion": "policy/v1", "kind": "Eviction",
			"metadata": map[string]any{"name": pod.name, "namespace": pod.namespace}, "deleteOptions": options})
		s.known(http.MethodGet, pod, pod.path(), nil)
		s.known(http.MethodGet, budget, budget.path(), nil)
	}
	running()
	allows(0, 1)
	for _, dry := range []any{[]any{"All"}, nil} {
		evict(map[string]any{"dryRun": dry, "preconditions": map[string]any{"resourceVersion": "1"}})
	}
	// Where the budget counts the pod, the API server itself notes in the budget's status that it goes.
	pod.name = "unready-too"
	running()
	allows(2, 0)
	evict(map[string]any{})
}
