// Package devices lets the engine allocate devices to the resource claims of pods: dynamic
// resource allocation with structured parameters (resource.k8s.io/v1, KEP-4381), by
// Kubernetes' own allocator.
//
// It has no client and no clock. Claims, slices and classes arrive as facts (model.Opaque
// around the object). Of a node it needs the name and the labels in its model.Node: a
// slice selects nodes by nothing else.
//
// Devices has two parts. The filter says whether a pod's claims can be met on a node: the
// node reaches the devices that a claim already has, and for the other claims the allocator
// finds free devices. The PluginState chooses devices when the engine gives the pod its
// room. From then on they are taken, so that no two members of a gang count on one device.
// The choice is part of the plan (Writes) and of the commitment.
//
// Invariants:
//   - Which devices are taken follows from the facts and from the tasks on nodes with their
//     choices, never from the order in which they came. Undo is therefore exact.
//   - Equal facts give equal choices: the allocator goes through pools and slices by name,
//     and devices in a slice's order. Ids that it draws by chance are replaced by ones that
//     follow from the claim.
//   - Facts beat choices: a claim that has devices by its fact has those.
//   - A claim that only one waiting pod holds may get other devices with that pod: what a scheduler wrote before it
//     ended, or before a binding failed, holds no pod to a node.
//   - The cost of finding devices is counted in steps, and bounded by question, cycle, namespace
//     and claim (budget.go). No clock bounds it. An answer is kept together with all that it
//     follows from, and is not paid for again (memory.go). Decisions depend on what is kept.
//
// It does not write a choice to the API server (Kubernetes' PreBind): internal/kube/execute
// does. In the simulator, where nothing is written, Written and Freed are the claims as they
// would be afterwards.
//
// A node without a device plugin for an extended resource meets it by devices of the class that stands for it: there
// the pod lacks one claim more, which does not exist yet (special.go), and the node offers as many of the resource as
// it has devices (extended.go).
//
// Limits:
//   - Before claims give their devices back, only the devices of pods that leave the same node
//     count as free.
//   - DeviceTaintRules are not read: docs/devices.md says why.
//   - A node scores no higher for the first of several alternatives.
package devices
