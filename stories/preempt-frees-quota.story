# A queue that may hold no more makes room inside itself, although nodes are idle: with
# the victim gone its quota is enough, or no pod goes (seed 002 §5.2 SimulateAllocatable,
# §8.4 cause 5).

conf
  actions enqueue allocate backfill preempt
class low 1
class high 100
node n1 n2 cpu=8
queue ml capability=cpu:4

submit ml/low queue=ml priority=low 2 x cpu=2
cycle
----
bind ml/low-0 n2
bind ml/low-1 n1

submit ml/too-much queue=ml priority=high 1 x cpu=5
cycle
----
wait ml/too-much: never QueueTooSmall ml: cpu 5 asked, 4 there; QueueCapability ml (held): cpu 4 with it, 4 may be

submit ml/high queue=ml priority=high 1 x cpu=4
cycle
----
evict ml/low-1 n1 for ml/high-0
evict ml/low-0 n2 for ml/high-0
nominate ml/high-0 n1
wait ml/high: Reserved: n1
wait ml/too-much: never QueueTooSmall ml: cpu 5 asked, 4 there; QueueCapability ml (held): cpu 4 with it, 4 may be

cycle
----
bind ml/high-0 n1
wait ml/low: NoPods
wait ml/too-much: never QueueTooSmall ml: cpu 5 asked, 4 there; QueueCapability ml (held): cpu 4 with it, 4 may be
