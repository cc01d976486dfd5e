# A queue deserves no more than it may hold, in a tree of queues as without one.
#
# small deserves ten CPUs by its spec and may hold four. It holds them, so it is owed nothing, and other,
# which deserves its six, gives none of them back for small.

conf
  actions enqueue allocate reclaim backfill
  tier priority gang
  tier predicates capacity(enableHierarchy=true)
node n1 cpu=10
queue small deserved=cpu:10 capability=cpu:4
queue other deserved=cpu:6

submit x/small queue=small min=1 6 x cpu=1
submit x/other queue=other min=1 6 x cpu=1
run
----
0s    bind x/other-0..5 n1
0s    bind x/small-0..3 n1
wait x/small: QueueCapability small: cpu 5 with it, 4 may be

queues deserved allocated share
----
queue  deserved  allocated  share
other  cpu=6     cpu=6      1.00
small  cpu=4     cpu=4      1.00
