# A queue that deserves nothing is best effort: it counts as full from the start, so
# that every queue below what it deserves goes first, and of two that are full the one
# that deserves something (seed 001 §4.1, §4.2).
#
# Guest comes first by name. Owner, which holds nothing of its one CPU, goes first all
# the same, then guest; and when owner is full too, it still goes before guest.

conf
  tier priority gang
  tier predicates capacity

node n1 cpu=2
queue guest
queue owner deserved=cpu:1

submit x/any   queue=guest min=1 2 x cpu=1
submit x/first queue=owner 1 x cpu=1
cycle
----
bind x/first-0 n1
bind x/any-0 n1
wait x/any: NotEnoughResources: cpu 1 asked, 0 free on n1

submit x/second queue=owner 1 x cpu=1
node n2 cpu=1
cycle
----
bind x/second-0 n2
wait x/any: NotEnoughResources: cpu 1 asked, 0 free on n1

queues deserved allocated share
----
queue  deserved  allocated  share
guest  -         cpu=1      1.00
owner  cpu=1     cpu=2      2.00
