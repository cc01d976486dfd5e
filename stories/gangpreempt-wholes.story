# gangpreempt takes whole gangs where members above minimums are not enough, and gives back
# those that turn out not to be needed (decision 12, seed 002 §5.2).

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
evict ml/elastic-2 n1 for ml/gang-0
nominate ml/gang-0 n1
evict ml/elastic-0 n1 for ml/gang-1
nominate ml/gang-1 n1
evict ml/elastic-3 n2 for ml/gang-2
nominate ml/gang-2 n2
evict ml/elastic-1 n2 for ml/gang-3
nominate ml/gang-3 n2
wait ml/gang: Reserved: n1

evictions for whole
----
pod           for        whole
ml/elastic-2  ml/gang-0  no
ml/elastic-0  ml/gang-1  no
ml/elastic-3  ml/gang-2  no
ml/elastic-1  ml/gang-3  yes
