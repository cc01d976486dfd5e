// Package filters lets the engine ask Kubernetes' own stateful scheduler plugins: here
// the volume binder, which says where a pod's claims can be met and with which volumes.
//
// Nothing of Kubernetes' is live in it. Claims, volumes, classes and what else the
// binder reads arrive as facts (model.Opaque around the object) and are laid into the
// stores of informers that are never started: no watch, no goroutine, no network. A
// node is its model.Node, name and labels, which is all that the binder reads of it.
//
// Volumes is both a book and a filter. The filter asks whether a pod's claims can be
// met on a node. The book chooses how when the engine gives the pod its room, and from
// then on shows everybody the volumes as they will be: claimed. The choice travels with
// the plan (Writes) and with the commitment.
//
// Invariants:
//   - What the binder sees is a function of the facts and of which tasks sit where with
//     what choice, never of the order in which they came. Undo is therefore exact.
//   - Equal facts give equal choices: volumes are offered in the order of their names.
//   - Facts beat choices: a volume that a fact gives to another claim stays so.
//   - The binder's own assume caches are empty between two questions. They forget an
//     assumption when its object's version changes and cannot undo in any order; here
//     they serve to find out what the binder would write, and no longer.
//
// Beside the binder stand Kubernetes' count of attachments (NodeVolumeLimits), the zones of volumes (VolumeZone) and
// claims that are for one pod alone (VolumeRestrictions). Predicates puts them all into the plugin of that name.
//
// It does not write a choice: writing volume and claim and waiting for the volume
// controller (Kubernetes' PreBind) belongs to internal/kube/execute; Written gives the
// resulting objects for the simulator, which has no API server. It does not score volumes.
//
// Two limits. For a pod with a node in its fact, only facts count: the fact of its claim
// should come first, as PreBind writes it before; in between, a volume
// looks free. And a pod that only waits for room (Pipelined) claims nothing yet.
package filters
