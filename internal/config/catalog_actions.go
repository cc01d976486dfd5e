package config

// errorCache has two spellings in Volcano: its code reads the first, its guides
// show the second. It switches a cache of refusals, which here is always valid
// and therefore changes no outcome (decision 21).
var errorCache = Spec{Key: "predicateErrorCacheEnable", Alias: "enablePredicateErrorCache", Kind: Bool,
	Default: "true", Meaning: "remember refusals of nodes within a cycle; changes no outcome"}

func volcanoActions() []Entry {
	return []Entry{
		{Name: "enqueue", Built: true,
			Meaning: "let jobs for which their queue has room leave Pending"},
		{Name: "allocate", Built: true,
			Meaning:   "place the tasks of jobs, gangs as a whole",
			Arguments: []Spec{errorCache}},
		{Name: "backfill", Built: true,
			Meaning:   "place tasks that request nothing",
			Arguments: []Spec{errorCache}},
		{Name: "preempt", Built: true,
			Meaning: "make room inside a queue for jobs of higher priority",
			Arguments: []Spec{errorCache,
				{Key: "enableTopologyAwarePreemption", Kind: Bool, Default: "false", Meaning: "try out victims under every predicate before choosing a node"},
				{Key: "topologyAwarePreemptWorkerNum", Kind: Int, Default: "16", Meaning: "nodes tried at once"},
				{Key: "minCandidateNodesPercentage", Kind: Int, Default: "10", Meaning: "percentage of the nodes to try at least"},
				{Key: "minCandidateNodesAbsolute", Kind: Int, Default: "1", Meaning: "nodes to try at least"},
				{Key: "maxCandidateNodesAbsolute", Kind: Int, Default: "100", Meaning: "nodes to try at most"},
			}},
		{Name: "reclaim", Built: true,
			Meaning:   "make room for queues below their deserved by taking from queues above theirs",
			Arguments: []Spec{errorCache}},
		{Name: "gangpreempt", Built: true,
			Meaning:   "preempt for whole gangs, domain by domain",
			Arguments: gangEviction()},
		{Name: "gangreclaim", Built: true,
			Meaning:   "reclaim for whole gangs, domain by domain",
			Arguments: gangEviction()},
		{Name: "shuffle", Built: true,
			Meaning: "evict what the descheduling plugins pick"},
	}
}

func gangEviction() []Spec {
	return []Spec{
		{Key: "maxDomains", Kind: Int, Default: "8", Meaning: "domains to try at most"},
		{Key: "allowWholeBundle", Kind: Bool, Default: "true", Meaning: "whether a whole gang may be a victim"},
	}
}

func metricsKeys() []Spec {
	return []Spec{
		{Key: "type", Kind: String, Default: "prometheus", Meaning: "prometheus, prometheus_adaptor or elasticsearch"},
		{Key: "address", Kind: String, Meaning: "URL of the source"},
		{Key: "interval", Kind: Duration, Default: "30s", Meaning: "how often the load is read"},
		{Key: "tls.insecureSkipVerify", Kind: Bool, Default: "false", Meaning: "accept any certificate"},
		{Key: "elasticsearch.index", Kind: String, Default: "metricbeat-*", Meaning: "index to read"},
		{Key: "elasticsearch.username", Kind: String, Meaning: "user"},
		{Key: "elasticsearch.password", Kind: String, Meaning: "password"},
		{Key: "elasticsearch.hostnameFieldName", Kind: String, Default: "host.hostname", Meaning: "field with the node's name"},
	}
}
