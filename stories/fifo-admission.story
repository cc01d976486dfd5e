# Admission follows the order, too. big does not fit beside busy, so small is not admitted before it, which
# asks for cpu. huge could never be admitted, so it holds back no other.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates proportion nodeorder
node n1 cpu=8
queue ml dequeue=fifo

submit ml/busy  queue=ml minresources=cpu:6 1 x cpu=6 for=10m
submit ml/huge  queue=ml minresources=cpu:20 1 x cpu=20 at=5s
submit ml/big   queue=ml minresources=cpu:4 1 x cpu=4 for=5m at=10s
submit ml/small queue=ml minresources=cpu:1 1 x cpu=1 for=5m at=20s
run until=20s
----
0s    bind ml/busy-0 n1
wait ml/big: QueueQuotaInsufficient ml: cpu 10 with it, 8 may be
wait ml/huge: never PodTooLarge ml/huge-0: cpu 20 asked, 8 there; QueueQuotaInsufficient ml: cpu 26 with it, 8 may be
wait ml/small: BehindJob ml/big, both in ml: cpu 10 with both, 8 may be

why ml/small
----
BehindJob ml/big, both in ml: cpu 10 with both, 8 may be

run
----
10m1s bind ml/big-0 n1
10m1s bind ml/small-0 n1
wait ml/huge: never PodTooLarge ml/huge-0: cpu 20 asked, 8 there; QueueQuotaInsufficient ml: cpu 20 with it, 8 may be
