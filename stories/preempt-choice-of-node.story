# Where several nodes would do, the cheapest does: by the most important victim (a), then
# by the sum of priorities (b), of which one victim more is always more (c). What each would
# cost is highest/sum/number (seed 002 §5.4).

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

submit a/mid priority=mid 1 x cpu=4 on=a1
submit a/low priority=low 2 x cpu=2 on=a2
submit b/mids priority=mid 2 x cpu=2 on=b1
submit b/mid priority=mid 1 x cpu=2 on=b2
submit b/low priority=low 1 x cpu=2 on=b2
submit c/three priority=low 3 x cpu=1 on=c1
submit c/two priority=low 2 x cpu=2 on=c2
cycle
----
nothing

submit x/importance priority=high 1 x cpu=4 selector=case:a
submit x/number priority=high 1 x cpu=4 selector=case:c
submit x/sum priority=high 1 x cpu=4 selector=case:b
cycle
----
evict a/low-1 a2 for x/importance-0
evict a/low-0 a2 for x/importance-0
nominate x/importance-0 a2
evict c/two-1 c2 for x/number-0
evict c/two-0 c2 for x/number-0
nominate x/number-0 c2
evict b/mid-0 b2 for x/sum-0
evict b/low-0 b2 for x/sum-0
nominate x/sum-0 b2
wait x/importance: Reserved: a2
wait x/number: Reserved: c2
wait x/sum: Reserved: b2

evictions for instead
----
pod      for             instead
a/low-1  x/importance-0  a1 ~5/5/1
a/low-0  x/importance-0  a1 ~5/5/1
c/two-1  x/number-0      c1 ~1/3/3
c/two-0  x/number-0      c1 ~1/3/3
b/mid-0  x/sum-0         b1 ~5/10/2
b/low-0  x/sum-0         b1 ~5/10/2
