# A queue of capacity that deserves nothing in what its pods hold gives at once (seed 001
# §6, isImmediateVictim).

conf
  actions enqueue allocate backfill reclaim
  tier    priority gang conformance
  tier    predicates capacity(enableHierarchy=true) nodeorder
node n1 cpu=4
queue owner deserved=cpu:4
queue guest

submit ml/guest queue=guest min=1 4 x cpu=1
cycle
----
bind ml/guest-0..3 n1

submit ml/owner queue=owner 3 x cpu=1
cycle
----
evict ml/guest-3 n1 for ml/owner-0
evict ml/guest-2 n1 for ml/owner-0
evict ml/guest-1 n1 for ml/owner-0
nominate ml/owner-0..2 n1
wait ml/owner: Reserved: n1

run
----
2s    bind ml/owner-0..2 n1
