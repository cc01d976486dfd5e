# A closed queue takes no jobs, whether or not a plugin divides the cluster among queues, and
# pods that ask for nothing do not pass either.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder
node n1 cpu=8
queue ml

submit ml/runs queue=ml 1 x cpu=1
cycle
----
bind ml/runs-0 n1

close ml
submit ml/waits  queue=ml 1 x cpu=1
submit ml/little queue=ml 1 x nothing
cycle
----
wait ml/little: QueueNotOpen ml: Closed
wait ml/waits: QueueNotOpen ml: Closed
