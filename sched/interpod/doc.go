// Package interpod knows which pods sit in which domain of a topology: what affinity between
// pods and topology spread rest on.
//
// A selection is the pods that a term is about: those of some namespaces that a label selector
// holds for. A set of pods with the same labels is pods that are alike to all selected pods: of one namespace, with the same
// labels. A domain count counts, by domain of one topology key, either the members of a selection or
// those who hold a term about it (whose anti-affinity keeps the selected pods away, whose
// preference draws it near). The Book keeps the domain counts with every move of the ledger,
// inside tries and out; a pod costs as many additions as there are domain counts about it, and
// nothing at all while no pod asks anything of those around it.
//
// Rules is what a class's pods ask and what others ask of them, as domain counts to be looked
// at. Others' terms are no part of a pod's own spec: the Book tells the ledger of them as
// the pod's Kin, so that pods of one class stand in the same relations to everybody.
//
// The Book counts and decides nothing: what a count means is for plugins to say.
package interpod
