# Flat queues with a capacity of their own: a queue may borrow beyond what it deserves,
# as far as its capability and others' guarantees let it, and no queue is overused.
#
# The cluster has twenty CPUs. Day deserves twelve and is alone; night is guaranteed
# four, so day may hold sixteen.

conf
  tier priority gang
  tier predicates capacity

node n1 cpu=20
queue day   deserved=cpu:12
queue night deserved=cpu:8 guarantee=cpu:4

submit lab/tests queue=day min=1 20 x cpu=1
run
----
0s    bind lab/tests-0..15 n1
wait lab/tests: QueueCapability day: cpu 17 with it, 16 may be

queues deserved allocated real share overused
----
queue  deserved  allocated  real    share  overused
day    cpu=12    cpu=16     cpu=16  1.33   no
night  cpu=8     -          cpu=20  0.00   no
