package config

// laterPlugins are the plugins of Volcano that this version has not built.
func laterPlugins() []Entry {
	return []Entry{
		{Name: "task-topology", Meaning: "roles of a job together or apart", Arguments: []Spec{
			{Key: "task-topology.weight", Kind: Int, Default: "1", Meaning: "weight of the plugin"}}},
		{Name: "usage", Meaning: "nodes by their measured load", Arguments: []Spec{
			{Key: "usage.weight", Kind: Int, Default: "5", Meaning: "weight of the plugin"},
			{Key: "cpu.weight", Kind: Int, Default: "1", Meaning: "weight of cpu"},
			{Key: "memory.weight", Kind: Int, Default: "1", Meaning: "weight of memory"},
			{Key: "thresholds", Kind: Map, Default: "{cpu: 80, mem: 80}", Meaning: "load above which a node takes nothing"},
			{Key: "estimator.", Prefix: true, Kind: Any, Meaning: "how to guess the load of what was just placed"}}},
		{Name: "resource-strategy-fit", Meaning: "fill or spread, for each resource", Arguments: []Spec{
			{Key: "resourceStrategyFitWeight", Kind: Int, Default: "10", Meaning: "weight of the plugin"},
			{Key: "resources", Kind: Map, Meaning: "type and weight of each resource"},
			{Key: "sra", Kind: Any, Meaning: "keep scarce resources free"},
			{Key: "sra.", Prefix: true, Kind: Any, Meaning: "keep scarce resources free"},
			{Key: "proportional", Kind: Any, Meaning: "keep cpu and memory free for scarce resources"},
			{Key: "proportional.", Prefix: true, Kind: Any, Meaning: "keep cpu and memory free for scarce resources"}}},
		{Name: "extender", Meaning: "ask a service over HTTP", Arguments: extenderArguments()},
		{Name: "deviceshare", Meaning: "parts of a GPU or NPU", Arguments: deviceArguments()},
	}
}

func deviceArguments() []Spec {
	return []Spec{
		{Key: "deviceshare.GPUSharingEnable", Kind: Bool, Default: "false", Meaning: "share a GPU's memory"},
		{Key: "deviceshare.GPUNumberEnable", Kind: Bool, Default: "false", Meaning: "count GPUs"},
		{Key: "deviceshare.NodeLockEnable", Kind: Bool, Default: "false", Meaning: "one bind at a time on a node"},
		{Key: "deviceshare.VGPUEnable", Kind: Bool, Default: "false", Meaning: "virtual GPUs"},
		{Key: "deviceshare.AscendMindClusterVNPUEnable", Kind: Bool, Default: "false", Meaning: "virtual NPUs of MindCluster"},
		{Key: "deviceshare.AscendHAMiVNPUEnable", Kind: Bool, Default: "false", Meaning: "virtual NPUs of HAMi"},
		{Key: "deviceshare.SchedulePolicy", Kind: String, Meaning: "binpack or spread"},
		{Key: "deviceshare.ScheduleWeight", Kind: Int, Default: "0", Meaning: "weight of the plugin"},
		{Key: "deviceshare.KnownGeometriesCMName", Kind: String, Meaning: "ConfigMap of device geometries"},
		{Key: "deviceshare.KnownGeometriesCMNamespace", Kind: String, Meaning: "its namespace"},
		{Key: "deviceshare.", Prefix: true, Kind: Any, Meaning: "settings of further devices"},
	}
}

func extenderArguments() []Spec {
	specs := []Spec{
		{Key: "extender.urlPrefix", Kind: String, Meaning: "address of the service"},
		{Key: "extender.httpTimeout", Kind: Duration, Default: "1s", Meaning: "how long an answer may take"},
		{Key: "extender.ignorable", Kind: Bool, Default: "false", Meaning: "whether to go on when the service fails"},
		{Key: "extender.managedResources", Kind: List, Meaning: "ask only about tasks that request one of these"},
	}
	for _, verb := range []string{
		"onSessionOpen", "onSessionClose", "predicate", "prioritize", "preemptable", "reclaimable",
		"queueOverused", "jobEnqueueable", "jobReady", "allocateFunc", "deallocateFunc",
	} {
		specs = append(specs, Spec{Key: "extender." + verb + "Verb", Kind: String, Meaning: "path to ask for " + verb})
	}
	return specs
}
