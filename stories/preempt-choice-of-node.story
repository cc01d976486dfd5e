# Where several nodes would do, the cheapest does: by the most important victim, then the
# sum of priorities, the number of victims, the latest start, the name (seed 002 §5.4).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class mid 5
class high 100
node a1 a2 cpu=4 label=case:a
node b1 b2 cpu=4 label=case:b
node c1 c2 cpu=4 label=case:c
node d1 d2 cpu=4 label=case:d

submit a/mid priority=mid 1 x cpu=4 on=a1
submit a/low priority=low 4 x cpu=1 on=a2
submit b/three priority=low 3 x cpu=1 on=b1
submit b/two priority=low 2 x cpu=2 on=b2
submit c/early priority=low 1 x cpu=4 on=c1
submit d/one priority=low 1 x cpu=4 on=d1
submit d/two priority=low 1 x cpu=4 on=d2
cycle 5
----
nothing

submit c/late priority=low 1 x cpu=4 on=c2
cycle 3
----
nothing

submit x/by-importance priority=high 1 x cpu=4 selector=case:a
submit x/by-number priority=high 1 x cpu=4 selector=case:b
submit x/by-start priority=high 1 x cpu=4 selector=case:c
submit x/by-name priority=high 1 x cpu=4 selector=case:d
cycle
----
evict a/low-3 a2 for x/by-importance-0
evict a/low-2 a2 for x/by-importance-0
evict a/low-1 a2 for x/by-importance-0
evict a/low-0 a2 for x/by-importance-0
nominate x/by-importance-0 a2
evict d/one-0 d1 for x/by-name-0
nominate x/by-name-0 d1
evict b/two-1 b2 for x/by-number-0
evict b/two-0 b2 for x/by-number-0
nominate x/by-number-0 b2
evict c/late-0 c2 for x/by-start-0
nominate x/by-start-0 c2
wait x/by-importance: Reserved: a2
wait x/by-name: Reserved: d1
wait x/by-number: Reserved: b2
wait x/by-start: Reserved: c2

evictions for instead
----
pod       for                instead
a/low-3   x/by-importance-0  a1 ~5/5/1
a/low-2   x/by-importance-0  a1 ~5/5/1
a/low-1   x/by-importance-0  a1 ~5/5/1
a/low-0   x/by-importance-0  a1 ~5/5/1
d/one-0   x/by-name-0        d2 ~1/1/1
b/two-1   x/by-number-0      b1 ~1/3/3
b/two-0   x/by-number-0      b1 ~1/3/3
c/late-0  x/by-start-0       c1 ~1/1/1
