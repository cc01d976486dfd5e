# What a queue deserves goes before what its borrower's jobs are worth: an unimportant job
# gets back what an important one has borrowed (seed 002 §1.1); a job with preemptionPolicy
# Never has no pod evicted all the same.

conf
  actions enqueue allocate backfill reclaim
class low 1
class high 100
node n1 cpu=4
queue a b

submit ml/a queue=a priority=high min=1 4 x cpu=1
cycle
----
bind ml/a-0..3 n1

submit ml/b queue=b priority=low 1 x cpu=1
cycle
----
evict ml/a-3 n1 for ml/b-0
nominate ml/b-0 n1
wait ml/b: Reserved: n1

evictions for priority against rules held forheld
----
pod     for     priority  against  rules                held              forheld
ml/a-3  ml/b-0  100       1        1:gang 2:proportion  a cpu=4 of cpu=3  b cpu=0 of cpu=1

submit ml/b-never queue=b priority=low 1 x cpu=1 preempts=never
cycle
----
bind ml/b-0 n1
wait ml/b-never: NotEnoughResources: cpu 1 asked, 0 free on n1; reclaim PreemptionNever
