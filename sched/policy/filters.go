package policy

// NodePoints holds the plugins that filter and score nodes.
type NodePoints struct {
	StaticFilters []StaticFilter
	NodeFilters   []NodeFilter
	DomainFilters []DomainFilter
	DomainOrders  []DomainOrder
	TaskFilters   []TaskFilter
	NodeOrders    []NodeOrder
	StaticOrders  []StaticOrder
	BatchOrders   []BatchNodeOrder
	BestNodes     []BestNode
}
