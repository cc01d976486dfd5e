# With strict, the first of a queue holds up those behind it, though there would be room
# for them; other queues go their way.

conf
  actions enqueue allocate
  tier    joborder(joborder.strict=true) gang
  tier    predicates nodeorder
node n1 gpu=4
queue ml ads

submit ml/busy  queue=ml  2 x gpu=1 for=10s on=n1
submit ml/wide  queue=ml  4 x gpu=1 for=10s
submit ml/small queue=ml  1 x gpu=1 for=10s at=1s
submit ml/other queue=ads 1 x gpu=1 for=5s at=1s
cycle 3
----
1s    bind ml/other-0 n1
wait ml/small: PrePredicateFailed: job ml/wide of its queue comes first and does not fit (joborder.strict)
wait ml/wide: GangIncomplete 1 of 4: NotEnoughResources: gpu 1 asked, 0 free on n1

run
----
10s   bind ml/wide-0..3 n1
21s   bind ml/small-0 n1
