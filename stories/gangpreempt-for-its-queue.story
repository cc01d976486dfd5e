# A gang that waits for the limit of its queue takes surplus members on all nodes before a whole gang goes, though it
# would need no room on some of these nodes (decision 12).

conf
  actions enqueue allocate backfill gangpreempt
  tier    priority gang
  tier    predicates capacity nodeorder
class low 10
class high 1000
queue ours capability=cpu:9
node n1 n2 cpu=8

submit ml/other queue=ours priority=high min=2 4 x cpu=1
submit ml/elastic queue=ours priority=low min=1 5 x cpu=1
cycle
----
bind ml/other-0 n1
bind ml/other-1 n2
bind ml/elastic-0 n1
bind ml/other-2 n2
bind ml/other-3 n1
bind ml/elastic-1 n2
bind ml/elastic-2 n1
bind ml/elastic-3 n2
bind ml/elastic-4 n1

node n3 cpu=8
submit ml/gang queue=ours priority=high 4 x cpu=1
cycle
----
evict ml/elastic-4 n1 for ml/gang-0
evict ml/elastic-2 n1 for ml/gang-0
evict ml/elastic-0 n1 for ml/gang-0
evict ml/elastic-3 n2 for ml/gang-1
nominate ml/gang-0 n1
nominate ml/gang-1 n2
nominate ml/gang-2..3 n1
wait ml/gang: Reserved: n1
