package model

// HyperNode is a domain of the network: nodes, or smaller domains, that reach each other
// faster than what lies outside.
type HyperNode struct {
	Meta
	Tier     int32  // 0 and up: the lower, the faster the network within
	TierName string // "" when it names none
	Members  []Member
}

// Member selects what belongs to a HyperNode, in one of three ways: by Name, by Pattern,
// or, where both are empty, by Labels (of nodes only; without any, every node).
type Member struct {
	Node    bool   // it selects nodes, otherwise HyperNodes
	Name    string // exactMatch
	Pattern string // regexMatch: RE2, found anywhere in the name
	Labels  []Requirement
}

// Topology is what a job, or a sub-group of one, asks of the network between its members.
type Topology struct {
	Hard        bool   // it waits rather than spread wider than the highest tier
	Highest     int32  // highestTierAllowed; -1 when it names none
	HighestName string // highestTierName, read where Highest is -1
}

// SubGroups is one subGroupPolicy: how some members of a job divide into sub-groups.
type SubGroups struct {
	Name     string
	Selector []Requirement // labelSelector: the members that it is about; none: all
	Keys     []string      // matchLabelKeys: members with equal values are one sub-group; none: all are
	Size     int32         // subGroupSize, at least 1: fewer of a sub-group do not start
	Min      int32         // minSubGroups: as many sub-groups must have their size before the job starts
	Topology *Topology     // nil: the job's holds
}
