# With sjf the shortest of the jobs that wait goes first, whichever came first, and a job
# that does not say how long it takes goes after all that do.

conf
  actions enqueue allocate
  tier    joborder(joborder.by=sjf) gang
  tier    predicates nodeorder
node n1 gpu=1

submit ml/unsaid 1 x gpu=1
submit ml/long   1 x gpu=1 for=1h at=1s
submit ml/short  1 x gpu=1 for=5m at=2s
submit ml/busy   1 x gpu=1 for=10s on=n1
run until=3h
----
10s   bind ml/short-0 n1
5m11s bind ml/long-0 n1
1h5m12s bind ml/unsaid-0 n1
