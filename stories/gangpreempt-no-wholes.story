# gangpreempt takes surplus members for a whole gang; with allowWholeBundle: false it leaves
# whole gangs alone, and evicts no pod where surplus is not enough (decision 12).

conf
  actions enqueue allocate backfill gangpreempt(allowWholeBundle=false)
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

submit ml/gang priority=high 3 x cpu=1
cycle
----
evict ml/elastic-2 n1 for ml/gang-0
evict ml/elastic-0 n1 for ml/gang-0
evict ml/elastic-3 n2 for ml/gang-2
nominate ml/gang-0..1 n1
nominate ml/gang-2 n2
wait ml/gang: Reserved: n1

submit ml/more priority=high 2 x cpu=1
cycle
----
bind ml/gang-0..1 n1
bind ml/gang-2 n2
wait ml/more: GangIncomplete 0 of 2: NotEnoughResources: cpu 1 asked, 0 free on n1; gangpreempt NoVictims: 5 VictimGang
