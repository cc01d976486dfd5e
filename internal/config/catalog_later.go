package config

import "ashlar.sh/sched/policy"

// laterPlugins are the plugins of Volcano that this version has not built.
func laterPlugins() []Entry {
	return []Entry{
		{Name: "task-topology", Meaning: "roles of a job together or apart", Arguments: []*policy.Argument{
			{Key: "task-topology.weight", Kind: policy.KindInt, Default: "1", Meaning: "weight of the plugin"}}},
		{Name: "group-topology-affinity", Meaning: "PodGroups in HyperNodes of their own", Arguments: []*policy.Argument{
			{Key: "weight", Kind: policy.KindInt, Default: "1", Meaning: "weight of the plugin"}}},
		{Name: "usage", Meaning: "nodes by their measured load", Arguments: []*policy.Argument{
			{Key: "usage.weight", Kind: policy.KindInt, Default: "5", Meaning: "weight of the plugin"},
			{Key: "cpu.weight", Kind: policy.KindInt, Default: "1", Meaning: "weight of cpu"},
			{Key: "memory.weight", Kind: policy.KindInt, Default: "1", Meaning: "weight of memory"},
			{Key: "thresholds", Kind: policy.KindMap, Default: "{cpu: 80, mem: 80}",
				Meaning: "load above which a node takes nothing"},
			{Key: "estimator.", Prefix: true, Kind: policy.KindAny, Meaning: "how to guess the load of what was just placed"}}},
		{Name: "resource-strategy-fit", Meaning: "fill or spread, for each resource", Arguments: []*policy.Argument{
			{Key: "resourceStrategyFitWeight", Kind: policy.KindInt, Default: "10", Meaning: "weight of the plugin"},
			{Key: "resources", Kind: policy.KindMap, Meaning: "type and weight of each resource"},
			{Key: "sra", Kind: policy.KindAny, Meaning: "keep scarce resources free"},
			{Key: "sra.", Prefix: true, Kind: policy.KindAny, Meaning: "keep scarce resources free"},
			{Key: "proportional", Kind: policy.KindAny, Meaning: "keep cpu and memory free for scarce resources"},
			{Key: "proportional.", Prefix: true, Kind: policy.KindAny,
				Meaning: "keep cpu and memory free for scarce resources"}}},
		{Name: "extender", Meaning: "ask a service over HTTP", Arguments: extenderArguments()},
		{Name: "deviceshare", Meaning: "parts of a GPU or NPU", Arguments: deviceArguments()},
	}
}

func deviceArguments() []*policy.Argument {
	return []*policy.Argument{
		{Key: "deviceshare.GPUSharingEnable", Kind: policy.KindBool, Default: "false", Meaning: "share a GPU's memory"},
		{Key: "deviceshare.GPUNumberEnable", Kind: policy.KindBool, Default: "false", Meaning: "count GPUs"},
		{Key: "deviceshare.NodeLockEnable", Kind: policy.KindBool, Default: "false", Meaning: "one bind at a time on a node"},
		{Key: "deviceshare.VGPUEnable", Kind: policy.KindBool, Default: "false", Meaning: "virtual GPUs"},
		{Key: "deviceshare.AscendMindClusterVNPUEnable", Kind: policy.KindBool, Default: "false",
			Meaning: "virtual NPUs of MindCluster"},
		{Key: "deviceshare.AscendHAMiVNPUEnable", Kind: policy.KindBool, Default: "false", Meaning: "virtual NPUs of HAMi"},
		{Key: "deviceshare.SchedulePolicy", Kind: policy.KindText, Meaning: "binpack or spread"},
		{Key: "deviceshare.ScheduleWeight", Kind: policy.KindInt, Default: "0", Meaning: "weight of the plugin"},
		{Key: "deviceshare.KnownGeometriesCMName", Kind: policy.KindText, Meaning: "ConfigMap of device geometries"},
		{Key: "deviceshare.KnownGeometriesCMNamespace", Kind: policy.KindText, Meaning: "its namespace"},
		{Key: "deviceshare.", Prefix: true, Kind: policy.KindAny, Meaning: "settings of further devices"},
	}
}

func extenderArguments() []*policy.Argument {
	specs := []*policy.Argument{
		{Key: "extender.urlPrefix", Kind: policy.KindText, Meaning: "address of the service"},
		{Key: "extender.httpTimeout", Kind: policy.KindDuration, Default: "1s", Meaning: "how long an answer may take"},
		{Key: "extender.ignorable", Kind: policy.KindBool, Default: "false",
			Meaning: "whether to go on when the service fails"},
		{Key: "extender.managedResources", Kind: policy.KindList, Meaning: "ask only about tasks that request one of these"},
	}
	for _, verb := range []string{
		"onSessionOpen", "onSessionClose", "predicate", "prioritize", "preemptable", "reclaimable",
		"queueOverused", "jobEnqueueable", "jobReady", "allocateFunc", "deallocateFunc",
	} {
		specs = append(specs, &policy.Argument{Key: "extender." + verb + "Verb", Kind: policy.KindText,
			Meaning: "path to ask for " + verb})
	}
	return specs
}

func metricsKeys() []*policy.Argument {
	return []*policy.Argument{
		{Key: "type", Kind: policy.KindText, Default: "prometheus",
			Meaning: "prometheus, prometheus_adaptor or elasticsearch"},
		{Key: "address", Kind: policy.KindText, Meaning: "URL of the source"},
		{Key: "interval", Kind: policy.KindDuration, Default: "30s", Meaning: "how often the load is read"},
		{Key: "tls.insecureSkipVerify", Kind: policy.KindBool, Default: "false", Meaning: "accept any certificate"},
		{Key: "elasticsearch.index", Kind: policy.KindText, Default: "metricbeat-*", Meaning: "index to read"},
		{Key: "elasticsearch.username", Kind: policy.KindText, Meaning: "user"},
		{Key: "elasticsearch.password", Kind: policy.KindText, Meaning: "password"},
		{Key: "elasticsearch.hostnameFieldName", Kind: policy.KindText, Default: "host.hostname",
			Meaning: "field with the node's name"},
	}
}
