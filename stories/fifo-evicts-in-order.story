# No pod is evicted for a job that is held back. first cannot be helped: what it needs is held by pods of its own
# priority. second could be, by evicting low, but first comes before it.

conf
  actions enqueue allocate preempt
  tier    gang
  tier    predicates nodeorder
  tier    priority
node n1 n2 cpu=4
queue ml dequeue=fifo
class high 100
class low 1

submit ml/low    queue=ml priority=low 1 x cpu=4 on=n1
submit ml/equal  queue=ml priority=high 1 x cpu=4 on=n2
submit ml/first  queue=ml priority=high min=2 2 x cpu=4 at=10s
submit ml/second queue=ml priority=high 1 x cpu=4 at=20s
run until=30s
----
wait ml/first: GangIncomplete 0 of 2: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt VictimsTooFew 1 of 2: 1 VictimNotLower
wait ml/second: BehindJob ml/first, both on n1 (2)
