# A queue sets a minimum run time of ten minutes for its pods: until then no queue reclaims from it,
# although it holds more than it deserves. Queue quick sets none, whatever the plugin's argument
# says, and gives at once.

conf
  actions enqueue allocate backfill reclaim
  tier priority gang minruntime(min-runtime=1h)
  tier predicates proportion
node n1 cpu=4
queue slow min-runtime=10m
queue quick min-runtime=0s
queue poor

submit ml/slow-a queue=slow 1 x cpu=1
submit ml/slow-b queue=slow 1 x cpu=1
submit ml/quick-a queue=quick 1 x cpu=1
submit ml/quick-b queue=quick 1 x cpu=1
cycle
----
bind ml/quick-a-0 n1
bind ml/slow-a-0 n1
bind ml/quick-b-0 n1
bind ml/slow-b-0 n1

submit ml/poor queue=poor 1 x cpu=1
cycle
----
evict ml/quick-b-0 n1 for ml/poor-0
nominate ml/poor-0 n1
wait ml/poor: Reserved: n1

submit ml/poorer queue=other 1 x cpu=1
queue other
run until=1h
----
2s    bind ml/poor-0 n1
10m1s evict ml/slow-b-0 n1 for ml/poorer-0
10m1s nominate ml/poorer-0 n1
10m2s bind ml/poorer-0 n1
wait ml/quick-b: NoPods
wait ml/slow-b: NoPods
