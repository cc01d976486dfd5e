# Only jobs that starve have others evicted for them: not one that has its minimum, not
# one that lacks pods, not one that is not admitted (seed 002 §2.1, §3.1, §8.4 cause 1).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates proportion nodeorder
class low 1
class high 100
node n1 cpu=4
queue ml capability=cpu:4

submit ml/low queue=ml priority=low 4 x cpu=1
cycle
----
bind ml/low-0..3 n1

submit ml/begun queue=ml priority=high min=1 2 x cpu=1
submit ml/lacks queue=ml priority=high min=3 2 x cpu=1
submit ml/pending queue=ml priority=high minresources=cpu:9 1 x cpu=1
cycle
----
evict ml/low-3 n1 for ml/begun-0
evict ml/low-2 n1 for ml/begun-0
evict ml/low-1 n1 for ml/begun-0
evict ml/low-0 n1 for ml/begun-0
nominate ml/begun-0 n1
wait ml/begun: Reserved: n1
wait ml/lacks: NotEnoughTasks 2 of 3
wait ml/pending: QueueQuotaInsufficient ml: cpu 13 with it, 4 may be

cycle
----
bind ml/begun-0..1 n1
wait ml/lacks: NotEnoughTasks 2 of 3
wait ml/low: NoPods
wait ml/pending: QueueQuotaInsufficient ml: cpu 10 with it, 4 may be

jobs phase tasks
----
job         phase    tasks
ml/begun    Inqueue  2 Binding
ml/lacks    Inqueue  2 Pending
ml/low      Pending  -
ml/pending  Pending  1 Pending
