# Of nodes with victims as important and as many, the one on which they started last
# does, where the least work is lost; then the first by name (seed 002 §5.4, 4 and 5).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node a1 a2 cpu=4 label=case:start
node b1 b2 cpu=4 label=case:name

submit a/early priority=low 1 x cpu=4 selector=case:start
submit b/one priority=low 1 x cpu=4 selector=case:name
submit b/two priority=low 1 x cpu=4 selector=case:name
cycle 2
----
0s    bind a/early-0 a2
0s    bind b/one-0 b1
0s    bind b/two-0 b2

submit a/late priority=low 1 x cpu=4 selector=case:start
cycle 3
----
2s    bind a/late-0 a1

submit x/by-start priority=high 1 x cpu=4 selector=case:start
submit x/by-name priority=high 1 x cpu=4 selector=case:name
cycle
----
evict b/one-0 b1 for x/by-name-0
nominate x/by-name-0 b1
evict a/late-0 a1 for x/by-start-0
nominate x/by-start-0 a1
wait x/by-name: Reserved: b1
wait x/by-start: Reserved: a1

evictions for ran instead
----
pod       for           ran  instead
b/one-0   x/by-name-0   4s   b2 ~1/1/1
a/late-0  x/by-start-0  2s   a2 ~1/1/1
