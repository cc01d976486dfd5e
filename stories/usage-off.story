# With weight 0 nothing is remembered, and jobs are served as if fairshare were not configured: the first
# that came goes first, whatever its namespace used.

conf
  actions enqueue allocate
  tier    priority gang
  tier    fairshare(fairshare.weight=0) predicates proportion(usage.weight=0) nodeorder
node n1 cpu=4
queue ml

submit alice/long queue=ml 1 x cpu=4 for=8h
submit alice/next queue=ml at=1h 1 x cpu=4 for=8h
submit bob/first queue=ml at=2h 1 x cpu=4 for=8h
run
----
0s    bind alice/long-0 n1
8h0m1s bind alice/next-0 n1
16h0m2s bind bob/first-0 n1
