# Where a weight would give less than was guaranteed, the guarantee holds and the others
# share what is left.
#
# By weight lab would get 10 of a hundred CPUs, and it is guaranteed 40. Nobody else may
# ever hold what is kept for it: the others can have 60 at most.

node n1 cpu=100
queue lab    weight=1 guarantee=cpu:40
queue batch  weight=6
queue online weight=3

submit x/proof  queue=lab    min=1 100 x cpu=1
submit x/nights queue=batch  min=1 100 x cpu=1
submit x/web    queue=online min=1 100 x cpu=1
run
----
0s    bind x/nights-0 n1
0s    bind x/proof-0 n1
0s    bind x/web-0 n1
0s    bind x/nights-1 n1
0s    bind x/proof-1 n1
0s    bind x/nights-2 n1
0s    bind x/proof-2 n1
0s    bind x/web-1 n1
0s    bind x/nights-3 n1
0s    bind x/proof-3 n1
0s    bind x/nights-4 n1
0s    bind x/proof-4 n1
0s    bind x/web-2 n1
0s    bind x/nights-5 n1
0s    bind x/proof-5 n1
0s    bind x/nights-6 n1
0s    bind x/proof-6 n1
0s    bind x/web-3 n1
0s    bind x/nights-7 n1
0s    bind x/proof-7 n1
0s    bind x/nights-8 n1
0s    bind x/proof-8 n1
0s    bind x/web-4 n1
0s    bind x/nights-9 n1
0s    bind x/proof-9 n1
0s    bind x/nights-10 n1
0s    bind x/proof-10 n1
0s    bind x/web-5 n1
0s    bind x/nights-11 n1
0s    bind x/proof-11 n1
0s    bind x/nights-12 n1
0s    bind x/proof-12 n1
0s    bind x/web-6 n1
0s    bind x/nights-13 n1
0s    bind x/proof-13 n1
0s    bind x/nights-14 n1
0s    bind x/proof-14 n1
0s    bind x/web-7 n1
0s    bind x/nights-15 n1
0s    bind x/proof-15 n1
0s    bind x/nights-16 n1
0s    bind x/proof-16 n1
0s    bind x/web-8 n1
0s    bind x/nights-17 n1
0s    bind x/proof-17 n1
0s    bind x/nights-18 n1
0s    bind x/proof-18 n1
0s    bind x/web-9 n1
0s    bind x/nights-19 n1
0s    bind x/proof-19 n1
0s    bind x/nights-20 n1
0s    bind x/proof-20 n1
0s    bind x/web-10 n1
0s    bind x/nights-21 n1
0s    bind x/proof-21 n1
0s    bind x/nights-22 n1
0s    bind x/proof-22 n1
0s    bind x/web-11 n1
0s    bind x/nights-23 n1
0s    bind x/proof-23 n1
0s    bind x/nights-24 n1
0s    bind x/proof-24 n1
0s    bind x/web-12 n1
0s    bind x/nights-25 n1
0s    bind x/proof-25 n1
0s    bind x/nights-26 n1
0s    bind x/proof-26 n1
0s    bind x/web-13 n1
0s    bind x/nights-27 n1
0s    bind x/proof-27 n1
0s    bind x/nights-28 n1
0s    bind x/proof-28 n1
0s    bind x/web-14 n1
0s    bind x/nights-29 n1
0s    bind x/proof-29 n1
0s    bind x/nights-30 n1
0s    bind x/proof-30 n1
0s    bind x/web-15 n1
0s    bind x/nights-31 n1
0s    bind x/proof-31 n1
0s    bind x/nights-32 n1
0s    bind x/proof-32 n1
0s    bind x/web-16 n1
0s    bind x/nights-33 n1
0s    bind x/proof-33 n1
0s    bind x/nights-34 n1
0s    bind x/proof-34 n1
0s    bind x/web-17 n1
0s    bind x/nights-35 n1
0s    bind x/proof-35 n1
0s    bind x/nights-36 n1
0s    bind x/proof-36 n1
0s    bind x/web-18 n1
0s    bind x/nights-37 n1
0s    bind x/proof-37 n1
0s    bind x/nights-38 n1
0s    bind x/proof-38 n1
0s    bind x/web-19 n1
0s    bind x/nights-39 n1
0s    bind x/proof-39 n1
wait x/nights: QueueOverused batch: cpu 40 deserved, 40 held
wait x/proof: QueueOverused lab: cpu 40 deserved, 40 held
wait x/web: QueueOverused online: cpu 20 deserved, 20 held

queues deserved allocated real
----
queue   deserved  allocated  real
batch   cpu=40    cpu=40     cpu=60
lab     cpu=40    cpu=40     cpu=100
online  cpu=20    cpu=20     cpu=60
