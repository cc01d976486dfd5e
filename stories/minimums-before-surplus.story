# Of jobs that come together all have their minimum before one has more, whatever their
# priority.
#
# wide could use all six CPUs and is first in line. gang, of a lower priority, came with it
# and needs three to begin: those are placed before the second pod of wide. The pods of wide
# that found no room wait like any others from then on: when some comes, priority decides
# between them and late.

node n1 cpu=6
queue ml
class high 10

submit ml/wide queue=ml min=1 priority=high 8 x cpu=1
submit ml/gang queue=ml min=3 3 x cpu=1
cycle
----
bind ml/wide-0 n1
bind ml/gang-0..2 n1
bind ml/wide-1..2 n1
wait ml/wide: QueueOverused ml: cpu 6 deserved, 6 held

submit ml/late queue=ml 1 x cpu=1
cycle
----
wait ml/late: QueueOverused ml: cpu 6 deserved, 6 held
wait ml/wide: QueueOverused ml: cpu 6 deserved, 6 held

finish ml/gang-0
cycle
----
bind ml/wide-3 n1
wait ml/late: QueueOverused ml: cpu 6 deserved, 6 held
wait ml/wide: QueueOverused ml: cpu 6 deserved, 6 held
