# A job that does not need the room of a lost member is placed beside it.
#
# train loses the member on n1 that asks for six CPUs. small goes to n2, though more is free on n1; wide
# would fit on n1 alone, and waits. guest, of another queue, is not held up: which of them goes first is for
# the queues to settle. Once it has taken the place of the lost member there is nothing left for wide to keep free.

node n1 n2 cpu=8
queue q other

submit ml/train queue=q min=3 1 x cpu=6 on=n1 2 x cpu=2 on=n2
cycle
----
nothing

fail ml/train-0
submit ml/small queue=q 1 x cpu=2
submit ml/wide queue=q 1 x cpu=4
cycle
----
bind ml/small-0 n2
wait ml/train: NotEnoughTasks 2 of 3
wait ml/wide: LostMemberFirst ml/train (cpu 6) until 1m1s: NotEnoughResources: cpu 4 asked, 2 free on n2

submit ml/guest queue=other 1 x cpu=4
cycle
----
bind ml/guest-0 n1
bind ml/wide-0 n1
wait ml/train: NotEnoughTasks 2 of 3
