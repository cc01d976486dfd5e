# A job of a lower priority does not take the room of a lost member, one of a higher priority does; and
# what a gang holds above its minimum is free for all once it is lost.
#
# small asks for less than was lost and would still be in its way. In the end urgent comes: priority
# goes before, as it would if the member waited.

class low -1
class high 100
node n1 cpu=8

submit ml/train min=3 4 x cpu=2
cycle
----
bind ml/train-0..3 n1

# One above the minimum is lost: its room is free for all.
submit ml/other priority=low 1 x cpu=2
delete ml/train-3
cycle 3
----
1s    pipeline ml/other-0 n1
2s    bind ml/other-0 n1

# One of the minimum is lost.
submit ml/small priority=low 1 x cpu=1
delete ml/train-2
cycle 3
----
wait ml/small: LostMemberFirst ml/train (cpu 2) until 1m4s: QueueDeserved default (kept for a job that waits): cpu 9 with it, 8 deserved
wait ml/train: NotEnoughTasks 2 of 3

submit ml/urgent priority=high 1 x cpu=2
cycle
----
bind ml/urgent-0 n1
wait ml/small: QueueOverused default: cpu 8 deserved, 8 held
wait ml/train: NotEnoughTasks 2 of 3
