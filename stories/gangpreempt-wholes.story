# gangpreempt takes a whole gang where members above the minimums are not enough, and then
# leaves the others alone (decision 12, seed 002 §5.2).

conf
  actions enqueue allocate backfill gangpreempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 n2 cpu=4

submit ml/elastic priority=low min=1 4 x cpu=1
submit ml/rigid priority=low 4 x cpu=1
cycle
----
bind ml/elastic-0 n1
bind ml/rigid-0 n2
bind ml/rigid-1 n1
bind ml/rigid-2 n2
bind ml/rigid-3 n1
bind ml/elastic-1 n2
bind ml/elastic-2 n1
bind ml/elastic-3 n2

submit ml/gang priority=high 4 x cpu=1
cycle
----
evict ml/rigid-3 n1 for ml/gang-0
evict ml/rigid-2 n2 for ml/gang-2
evict ml/rigid-1 n1 for ml/gang-0
evict ml/rigid-0 n2 for ml/gang-2
nominate ml/gang-0..1 n1
nominate ml/gang-2..3 n2
wait ml/gang: Reserved: n1

evictions for whole
----
pod         for        whole
ml/rigid-3  ml/gang-0  yes
ml/rigid-2  ml/gang-2  yes
ml/rigid-1  ml/gang-0  yes
ml/rigid-0  ml/gang-2  yes
