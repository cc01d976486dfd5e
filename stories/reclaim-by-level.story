# Whether a queue holds more than it deserves is asked of the queue itself, and of none above it,
# unless ancestorReclaimLevel says so.
#
# b holds two of the one CPU that it deserves, and org above it, which deserves three, holds no
# more than its part. a, which deserves two and holds none, is owed them by b all the same.

conf
  actions enqueue allocate backfill reclaim
  tier    priority gang conformance
  tier    predicates capacity(enableHierarchy=true,ancestorReclaimLevel=0) nodeorder
node n1 cpu=2
queue org deserved=cpu:3
queue team parent=org deserved=cpu:1
queue b parent=team deserved=cpu:1
queue a deserved=cpu:2

submit ml/b queue=b min=1 1 x cpu=2
cycle
----
bind ml/b-0 n1

submit ml/a queue=a 1 x cpu=2
run
----
1s    evict ml/b-0 n1 for ml/a-0
1s    nominate ml/a-0 n1
2s    bind ml/a-0 n1
wait ml/b: NoPods
