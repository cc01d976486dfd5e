// Package owners reads what the owners of pods say of the jobs that are made for pods
// without a PodGroup: their annotations scheduling.volcano.sh/queue-name and
// group-min-member, which Volcano's controllers read too. It reads spec.runningEstimate of
// the Volcano Jobs that own PodGroups, which Volcano's controllers do not hand on, and the
// deadlines of Kubernetes Jobs.
//
// An owner is of any kind that the API serves, so there is no informer of it: of each that
// a pod names as its controller the metadata is read, once, and those of the controllers
// above it, up to eight. A Kubernetes Job with a deadline is read again when a pod of it comes,
// since the deadline counts anew once the Job was suspended and resumed. Volcano reads the direct
// owners alone, of four kinds.
//
// It blocks no caller: a question is answered with what is known, and again when more is
// known. Tenants choose the names of owners and may name millions: reads are bounded in
// rate and number, namespaces take turns, a kind that is not served or may not be read
// costs no request for each of its owners, and an owner that no pod names any more is
// forgotten.
//
// Invariants: an owner is known by its UID, so a later one of its name says nothing for
// it; a word that is Final does not change, but for such a deadline; a right that is missing is said once for each
// kind, with the rule that would grant it.
package owners
