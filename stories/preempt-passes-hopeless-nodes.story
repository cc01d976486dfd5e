# No pod is evicted on a node that an eviction cannot open: one that is cordoned, tainted,
# without the label, or too small (seed 002 §4.1, §8.4 cause 6, §8.5). A host port that
# a victim holds is opened by its going.

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node shut tainted other small open cpu=4
cycle
----
nothing

submit ml/low-1 priority=low 1 x cpu=4 on=shut
submit ml/low-2 priority=low 1 x cpu=4 on=tainted
submit ml/low-3 priority=low 1 x cpu=4 on=other
submit ml/low-4 priority=low 1 x cpu=2 on=small
submit ml/low-5 priority=low 1 x cpu=1 port=80 on=open
cordon shut
node tainted cpu=4 label=disk:ssd taint=team=ml:NoSchedule
node small cpu=2 label=disk:ssd
node open cpu=4 label=disk:ssd
cycle
----
nothing

submit ml/new priority=high 1 x cpu=3 port=80 selector=disk:ssd
cycle
----
evict ml/low-5-0 open for ml/new-0
nominate ml/new-0 open
wait ml/new: Reserved: open

evictions for tried hopeless
----
pod         for       tried  hopeless
ml/low-5-0  ml/new-0  1      4

submit ml/newer priority=high 1 x cpu=3 selector=disk:tape
cycle
----
bind ml/new-0 open
wait ml/low-5: NoPods
wait ml/newer: NodesRefuse: NodeSelector on 3 nodes; NodeTaint team=ml:NoSchedule on tainted; NodeUnschedulable on shut; preempt NoVictims
