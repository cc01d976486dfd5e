package model

// HyperNode is a domain of the network: nodes, or smaller domains, with a faster network between each other
// than to the rest.
type HyperNode struct {
	Meta
	Tier     int32  // at least 0: the lower, the faster the network inside
	TierName string // "" when not set
	Members  []Member
}

// Member selects members of a HyperNode, in one of three ways: by Name, by Pattern, or, where both are empty,
// by Labels (nodes only; no requirement: every node).
type Member struct {
	Node    bool   // it selects nodes, otherwise HyperNodes
	Name    string // exactMatch
	Pattern string // regexMatch: RE2, found anywhere in the name
	Labels  []Requirement
}

// Topology is the network topology that a job, or a sub-group of it, asks for.
type Topology struct {
	Hard        bool   // the job waits rather than spread beyond the highest tier
	Highest     int32  // highestTierAllowed; -1 when not set
	HighestName string // highestTierName, read where Highest is -1
}

// SubGroups is one subGroupPolicy: how some members of a job divide into sub-groups.
type SubGroups struct {
	Name     string
	Selector []Requirement // labelSelector: the members that it selects; none: all
	Keys     []string      // matchLabelKeys: members with equal values are one sub-group; none: all are one
	Size     int32         // subGroupSize, at least 1: a sub-group with fewer members does not start
	Min      int32         // minSubGroups: so many sub-groups must have their size before the job starts
	Topology *Topology     // nil: that of the job
}
