// Package devices lets the engine allocate devices to the resource claims of pods: dynamic
// resource allocation with structured parameters (resource.k8s.io/v1, KEP-4381), by
// Kubernetes' own allocator.
//
// Nothing is live in it. Claims, slices and classes arrive as facts (model.Opaque around
// the object); a node is its model.Node, name and labels, which is all that a slice asks
// of it.
//
// Devices is a book and a filter. The filter asks whether a pod's claims can be met on a
// node: those that have devices already reach it, and for the others the allocator finds
// some that no pod has. The book chooses which when the engine gives the pod its room,
// and from then on they are taken, so that no two members of a gang count on one device.
// The choice travels with the plan (Writes) and with the commitment.
//
// Invariants:
//   - What is taken is a function of the facts and of which tasks sit where with what
//     choice, never of the order in which they came. Undo is therefore exact.
//   - Equal facts give equal choices: the allocator goes through pools and slices by name,
//     and devices in a slice's order. Ids that it draws by chance are replaced by ones that
//     follow from the claim.
//   - Facts beat choices: a claim that has devices by its fact has those.
//   - A claim that only one waiting pod holds may get other devices with that pod: what a scheduler wrote before it
//     ended, or before a binding failed, holds no pod to a node.
//   - What finding devices costs is counted in steps, and bounded by question, cycle, namespace
//     and claim (budget.go). No clock bounds it. What was found out is kept, by what it rests
//     on, and not paid for again (memory.go); that is part of what decides.
//
// It is not what carries a choice out (Kubernetes' PreBind): that belongs to
// internal/kube/execute. Written and Freed say what comes of it in the simulator, where nothing is written.
//
// Limits: only the devices of pods that leave the same node are counted on before their claims
// are given back. Requests for extended resources that a DeviceClass stands for are
// refused with that reason and not turned into claims, DeviceTaintRules are not read, and a node is worth no more for
// offering the first of several alternatives.
package devices
