# Without strict, a job that does not fit is passed over by those that do.

conf
  actions enqueue allocate
  tier    joborder(joborder.by=fifo) gang
  tier    predicates nodeorder
node n1 gpu=4

submit ml/busy  2 x gpu=1 for=10s on=n1
submit ml/wide  4 x gpu=1 for=10s
submit ml/small 1 x gpu=1 for=10s at=1s
run
----
1s    bind ml/small-0 n1
12s   bind ml/wide-0..3 n1
