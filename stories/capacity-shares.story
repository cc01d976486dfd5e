# Queues in turns: the one that holds the smaller part of what it deserves is next, and
# a queue that deserves nothing comes when all others have theirs.
#
# Of ten CPUs a deserves six and b three; the last one is left for guest. What a and b
# ask for beyond that waits for it: they hold all of their share, as guest always does,
# and go first.

conf
  tier priority gang
  tier predicates capacity

node n1 cpu=9
queue a deserved=cpu:6
queue b deserved=cpu:3
queue guest

submit lab/alpha queue=a     min=1 6 x cpu=1
submit lab/beta  queue=b     min=1 3 x cpu=1
submit lab/gamma queue=guest min=1 9 x cpu=1
run
----
0s    bind lab/alpha-0..5 n1
0s    bind lab/beta-0..2 n1
wait lab/gamma: NotEnoughResources: cpu 1 asked, 0 free on n1

node n2 cpu=3
run
----
4s    bind lab/gamma-0..2 n2
wait lab/gamma: NotEnoughResources: cpu 1 asked, 0 free on n1

queues deserved allocated share
----
queue  deserved  allocated  share
a      cpu=6     cpu=6      1.00
b      cpu=3     cpu=3      1.00
guest  -         cpu=3      1.00
