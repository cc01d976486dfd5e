package model

import "slices"

// NUMA is how the CPUs of the node with its name are divided into NUMA nodes, and how its kubelet assigns
// them. An agent on the node reports it.
type NUMA struct {
	Meta
	Static bool       // whole CPUs are assigned to single containers (CPU manager policy static)
	Policy NUMAPolicy // the kubelet's topology manager policy
	Nodes  []NUMANode // by ID
}

// NUMANode is one NUMA node of a node: CPUs near each other.
type NUMANode struct {
	ID     int32
	CPUs   int32 // all its CPUs
	Usable int32 // CPUs that containers may get: all but reserved ones
	Free   int32 // CPUs that no container had when the report was made
}

// NUMAPolicy says on which NUMA nodes a container's CPUs have to be.
type NUMAPolicy string

// The policies of Kubernetes' topology manager.
const (
	NUMANone       NUMAPolicy = "none"
	NUMABestEffort NUMAPolicy = "best-effort"
	NUMARestricted NUMAPolicy = "restricted"       // on as few NUMA nodes as the node allows
	NUMASingle     NUMAPolicy = "single-numa-node" // on one NUMA node
)

// NUMADemand is what a pod of QoS class Guaranteed asks of NUMA nodes.
type NUMADemand struct {
	Policy NUMAPolicy // volcano.sh/numa-topology-policy, NUMANone without
	Cores  []int32    // the number of whole CPUs of each container that asks for whole CPUs, ascending
}

// Numa writes what is asked of NUMA nodes; nothing where nothing is asked.
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

// Alike says that two reports, or none, have the same content.
func (r *NUMA) Alike(o *NUMA) bool {
	if r == nil || o == nil {
		return r == o
	}
	return r.Static == o.Static && r.Policy == o.Policy && slices.Equal(r.Nodes, o.Nodes)
}
