# A queue that holds all that it deserves takes from no other, however much it asks for and
# however important its job is (seed 002 §6.1, Overused).

conf
  actions enqueue allocate backfill reclaim
class low 1
class high 100
node n1 cpu=6
queue a b

submit ml/a queue=a priority=low min=1 5 x cpu=1
cycle
----
bind ml/a-0..4 n1

submit ml/b queue=b priority=high min=3 3 x cpu=1
run
----
1s    evict ml/a-3..4 n1 for ml/b-0
1s    nominate ml/b-0..2 n1
2s    bind ml/b-0..2 n1

submit ml/b-more queue=b priority=high 1 x cpu=1
cycle
----
wait ml/b-more: QueueOverused b: cpu 3 deserved, 3 held; reclaim NoVictims: QueueDeserved b: cpu 4 with it, 3 deserved

queues deserved allocated overused
----
queue  deserved  allocated  overused
a      cpu=3     cpu=3      yes
b      cpu=3     cpu=3      yes
