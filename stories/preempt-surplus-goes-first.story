# A gang keeps its minimum as long as members above it are enough (seed 002 §4.3): of four
# pods, of which two are needed, one makes room for one newcomer and two for two. In the
# end only whole gangs are left.

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 cpu=4

submit ml/elastic priority=low min=2 4 x cpu=1
cycle
----
bind ml/elastic-0..3 n1

submit ml/one priority=high 1 x cpu=1
cycle
----
evict ml/elastic-3 n1 for ml/one-0
nominate ml/one-0 n1
wait ml/one: Reserved: n1

evictions for whole rules
----
pod           for       whole  rules
ml/elastic-3  ml/one-0  no     1:priority,gang

submit ml/two priority=high 1 x cpu=1
cycle
----
bind ml/one-0 n1
evict ml/elastic-2 n1 for ml/two-0
nominate ml/two-0 n1
wait ml/two: Reserved: n1

submit ml/three priority=high 1 x cpu=1
cycle
----
bind ml/two-0 n1
evict ml/elastic-1 n1 for ml/three-0
evict ml/elastic-0 n1 for ml/three-0
nominate ml/three-0 n1
wait ml/three: Reserved: n1

evictions for whole rules
----
pod           for         whole  rules
ml/elastic-1  ml/three-0  yes    1:priority
ml/elastic-0  ml/three-0  yes    1:priority

run
----
4s    bind ml/three-0 n1
wait ml/elastic: NoPods
