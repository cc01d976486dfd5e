# A job of high priority waits while pods of low priority run: they are in another queue, from
# which only reclaim takes (seed 002 §9.1 step 3). Nothing in its own queue is less important.

conf
  actions enqueue allocate backfill preempt
class low 1
class high 100
node n1 n2 cpu=4
queue ml other

submit x/first queue=other priority=low 1 x cpu=4
submit x/second queue=other priority=low 1 x cpu=4
cycle
----
bind x/first-0 n2
bind x/second-0 n1

submit ml/urgent queue=ml priority=high 1 x cpu=4
cycle
----
wait ml/urgent: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt NoVictims

why ml/urgent
----
NotEnoughResources: cpu 4 asked, 0 free on n1
  InsufficientResource cpu on 2 nodes
preempt NoVictims
