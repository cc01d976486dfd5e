package model

import "slices"

// NUMA is how the cpus of the node of its name divide into NUMA nodes,
// and what its kubelet makes of that. Somebody on the node reports it.
type NUMA struct {
	Meta
	Static bool       // whole cpus are given to containers of their own (CPU manager policy static)
	Policy NUMAPolicy // the kubelet's topology manager policy
	Nodes  []NUMANode // by ID
}

// NUMANode is one NUMA node of a node: cpus that are near to each other.
type NUMANode struct {
	ID     int32
	CPUs   int32 // that it has
	Usable int32 // … and that containers may be given: less what is reserved
	Free   int32 // … and that no container had been given when the report was made
}

// NUMAPolicy is how the cpus of a container are to lie.
type NUMAPolicy string

// The policies of Kubernetes' topology manager.
const (
	NUMANone       NUMAPolicy = "none"
	NUMABestEffort NUMAPolicy = "best-effort"
	NUMARestricted NUMAPolicy = "restricted"       // on as few NUMA nodes as the node allows
	NUMASingle     NUMAPolicy = "single-numa-node" // on one NUMA node
)

// NUMADemand is what a pod of the quality Guaranteed asks of NUMA nodes.
type NUMADemand struct {
	Policy NUMAPolicy // volcano.sh/numa-topology-policy, NUMANone without
	Cores  []int32    // the whole cpus of each container that asks for such, ascending
}

// Numa writes what is asked of NUMA nodes; nothing where nothing is.
func (f *Form) Numa(d *NUMADemand) {
	if d == nil {
		return
	}
	f.Part()
	f.Text("numa", string(d.Policy))
	for _, n := range d.Cores {
		f.Number(int64(n))
	}
}

// Alike says that two reports, or none, tell the same.
func (r *NUMA) Alike(o *NUMA) bool {
	if r == nil || o == nil {
		return r == o
	}
	return r.Static == o.Static && r.Policy == o.Policy && slices.Equal(r.Nodes, o.Nodes)
}
