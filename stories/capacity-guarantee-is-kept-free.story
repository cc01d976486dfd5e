# What a queue is guaranteed stays free for it, however many borrow.
#
# Of ten CPUs `late` is guaranteed four, and is not there yet. Either of two others may
# hold six alone; together they get six.

conf
  tier priority gang
  tier predicates capacity

node n1 cpu=10
queue late  guarantee=cpu:4
queue one
queue other

submit x/one   queue=one   min=1 5 x cpu=1
submit x/other queue=other min=1 5 x cpu=1
run
----
0s    bind x/one-0..4 n1
0s    bind x/other-0 n1
wait x/other: QueueCapability root (guarantees kept): cpu 11 with it, 10 may be

submit x/late queue=late min=4 4 x cpu=1
run
----
4s    bind x/late-0..3 n1
wait x/other: NotEnoughResources: cpu 1 asked, 0 free on n1

queues guarantee real allocated
----
queue  guarantee  real    allocated
late   cpu=4      cpu=10  cpu=4
one    -          cpu=6   cpu=5
other  -          cpu=6   cpu=1
