# With joborder.preempt a job that has less left stops one that has more (srtf: time), and
# that one comes back when there is room. A job that is done as soon stays. What a stopped pod has
# done is lost here; with a trace, --trace-preempt-cost none keeps it (docs/traces.md).

conf
  actions enqueue allocate preempt
  tier    joborder(joborder.by=srtf,joborder.preempt=true)
  tier    gang priority
  tier    predicates nodeorder
node n1 gpu=1

submit ml/long  1 x gpu=1 for=1h owned
submit ml/short 1 x gpu=1 for=5m at=50m
submit ml/next  1 x gpu=1 for=4m at=53m
run until=3h
----
0s    bind ml/long-0 n1
50m   evict ml/long-0 n1 for ml/short-0
50m   nominate ml/short-0 n1
50m1s bind ml/short-0 n1
55m2s bind ml/next-0 n1
59m3s bind ml/long-0 n1
