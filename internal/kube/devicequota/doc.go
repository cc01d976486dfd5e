// Package devicequota holds queues to the devices that their capability names: a part of the plugin
// capacity. Which devices a claim has is for internal/kube/devices; this is how many, of which class, and
// in which queues they count.
//
// What always holds: a claim counts once in a queue, however many pods of it share the claim; what a
// queue holds is a function of facts and of who sits where, so that undo and replay include it; and
// amounts, however large they are written, neither wrap nor cost others anything.
//
// It takes no devices back: nobody is evicted for a device, so that what spec.deserved and
// spec.guarantee say of devices has no effect, and is a Problem.
package devicequota
