# A gang that runs at its minimum goes as a whole or not at all, with its members on nodes
# where no pod needs room (seed 002 §8.4 cause 3; decision 12).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 n2 n3 cpu=4

submit ml/gang priority=low 3 x cpu=4
cycle
----
bind ml/gang-0 n2
bind ml/gang-1 n1
bind ml/gang-2 n3

submit ml/new priority=high 1 x cpu=2
cycle
----
evict ml/gang-2 n3 for ml/new-0
evict ml/gang-1 n1 for ml/new-0
evict ml/gang-0 n2 for ml/new-0
nominate ml/new-0 n1
wait ml/new: Reserved: n1

evictions
----
pod        for       action   priority  against  whole  rules       instead
ml/gang-2  ml/new-0  preempt  1         100      yes    1:priority  n2 1/3/3, n3 1/3/3
ml/gang-1  ml/new-0  preempt  1         100      yes    1:priority  n2 1/3/3, n3 1/3/3
ml/gang-0  ml/new-0  preempt  1         100      yes    1:priority  n2 1/3/3, n3 1/3/3

cycle
----
bind ml/new-0 n1
wait ml/gang: NoPods

pods status node
----
pod       status   node
ml/new-0  Binding  n1
