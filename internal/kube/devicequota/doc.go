// Package devicequota counts the devices of resource claims that queues hold, for the plugin capacity: against
// their capability, what they deserve and what they are guaranteed. Which devices a claim has is for
// internal/kube/devices; this is how many, of which class, and in which queues they count.
//
// What always holds: a claim counts once in a queue, however many pods of it share the claim; what a
// queue holds is a function of facts and of the places of tasks, so that undo and replay include it; and
// amounts, however large they are written, neither wrap nor cost others anything.
package devicequota
