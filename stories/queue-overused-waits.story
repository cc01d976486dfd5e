# A queue that holds what it deserves is served no more, though there is room.
#
# Half of eight CPUs is blue's, which has asked for them but cannot use them yet: its
# gang needs a node of four that is still to come. red holds its four and waits; the
# free CPUs of n2 are too small for blue, and red does not get them either.

node n1 cpu=4
node n2 cpu=2
node n3 cpu=2
queue blue red

submit x/train queue=blue 1 x cpu=4 gated
submit x/fill  queue=red min=1 8 x cpu=1
cycle
----
bind x/fill-0..1 n1
bind x/fill-2 n2
bind x/fill-3 n3
bind x/fill-4..5 n1
bind x/fill-6 n2
bind x/fill-7 n3
wait x/train: SchedulingGated

queues deserved allocated request overused
----
queue  deserved  allocated  request  overused
blue   -         -          -        no
red    cpu=8     cpu=8      cpu=8    yes
