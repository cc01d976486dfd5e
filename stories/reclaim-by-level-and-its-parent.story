# With ancestorReclaimLevel 1 the queue above the victim's has to hold more than it deserves, too.
#
# b and team above it hold two of one CPU each; org above both, which deserves three, is two levels
# up and is not asked. a, which deserves two and holds none, gets them.

conf
  actions enqueue allocate backfill reclaim
  tier    priority gang conformance
  tier    predicates capacity(enableHierarchy=true,ancestorReclaimLevel=1) nodeorder
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
