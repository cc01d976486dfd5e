# With srsf a job counts by its time on all the GPUs it asks for: ten minutes of four are
# more than half an hour of one.

conf
  actions enqueue allocate
  tier    joborder(joborder.by=srsf) gang
  tier    predicates nodeorder
node n1 gpu=4

submit ml/wide   4 x gpu=1 for=10m
submit ml/narrow 1 x gpu=1 for=30m at=1s
submit ml/brief  4 x gpu=1 for=1m at=1s
submit ml/busy   4 x gpu=1 for=10s on=n1
run
----
10s   bind ml/brief-0..3 n1
1m11s bind ml/narrow-0 n1
31m12s bind ml/wide-0..3 n1
