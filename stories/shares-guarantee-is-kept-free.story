# What a queue is guaranteed stays free for it, whichever queue comes and whatever that deserves.
#
# Of ten CPUs `late` is guaranteed three, and is not there yet. `one` alone deserves the
# other seven. When `other` comes it deserves three, and there are three: those of `late`.
# They stay free; what `other` deserves, `one` has to give back.

conf
  actions enqueue allocate backfill reclaim
  tier priority gang conformance
  tier predicates proportion

node n1 cpu=10
queue late  guarantee=cpu:3
queue one
queue other

submit x/one queue=one min=1 9 x cpu=1
run
----
0s    bind x/one-0..6 n1
wait x/one: QueueOverused one: cpu 7 deserved, 7 held

submit x/other queue=other min=1 3 x cpu=1
cycle
----
evict x/one-6 n1 for x/other-0
nominate x/other-0 n1
wait x/one: QueueOverused one: cpu 4 deserved, 6 held
wait x/other: Reserved: n1

submit x/late queue=late min=3 3 x cpu=1
run
----
5s    bind x/late-0..2 n1
5s    bind x/other-0 n1
wait x/one: QueueOverused one: cpu 4 deserved, 6 held
wait x/other: NotEnoughResources: cpu 1 asked, 0 free on n1

queues guarantee deserved allocated
----
queue  guarantee  deserved  allocated
late   cpu=3      cpu=3     cpu=3
one    -          cpu=4     cpu=6
other  -          cpu=3     cpu=1
