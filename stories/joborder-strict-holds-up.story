# A job that lacks pods, or is gone, holds up no other; a job that no node can ever take holds
# its queue up for as long as it is there.

conf
  actions enqueue allocate
  tier    joborder(joborder.strict=true) gang
  tier    predicates nodeorder
node n1 gpu=4

submit ml/lacks min=3 2 x gpu=1
submit ml/more  min=1 4 x gpu=1 at=1s
submit ml/huge  1 x gpu=8 at=2s
submit ml/small 1 x gpu=1 for=10s at=3s
cycle 4
----
1s    bind ml/more-0..3 n1
wait ml/huge: never PodTooLarge ml/huge-0: gpu 8 asked, 4 there; NotEnoughResources: gpu 8 asked, 0 free on n1
wait ml/lacks: NotEnoughTasks 2 of 3
wait ml/small: PrePredicateFailed: job ml/huge of its queue comes first and does not fit (joborder.strict)

finish ml/more-0
cycle
----
wait ml/huge: never PodTooLarge ml/huge-0: gpu 8 asked, 4 there; NotEnoughResources: gpu 8 asked, 1 free on n1
wait ml/lacks: NotEnoughTasks 2 of 3
wait ml/small: PrePredicateFailed: job ml/huge of its queue comes first and does not fit (joborder.strict)

delete ml/huge
cycle 2
----
5s    bind ml/small-0 n1
wait ml/lacks: NotEnoughTasks 2 of 3
