# A pod asks for a device that no node has, in a queue that holds all it deserves: it waits for
# such nodes, not for its queue.

conf
  actions enqueue allocate backfill
  tier    priority gang conformance
  tier    overcommit drf predicates proportion nodeorder
node n1 cpu=4
queue ml

submit ml/old queue=ml 4 x cpu=1
cycle
----
bind ml/old-0..3 n1

submit ml/gpu queue=ml 1 x cpu=1,gpu=1
submit ml/more queue=ml 1 x cpu=1
cycle
----
wait ml/gpu: never PodTooLarge ml/gpu-0: gpu 1 asked, 0 there; NotEnoughResources: cpu 1 asked, 0 free; gpu 1 asked, 0 free on n1
wait ml/more: QueueOverused ml: cpu 4 deserved, 4 held
