# Where a weight would give less than was guaranteed, the guarantee holds and the others
# share what is left.
#
# By weight lab would get 10 of a hundred CPUs, and it is guaranteed 40. No other queue
# may ever hold what is kept for it: the others can have 60 at most.

node n1 cpu=100
queue lab    weight=1 guarantee=cpu:40
queue batch  weight=6
queue online weight=3

submit x/proof  queue=lab    min=1 100 x cpu=1
submit x/nights queue=batch  min=1 100 x cpu=1
submit x/web    queue=online min=1 100 x cpu=1
run
----
0s    bind x/nights-0..39 n1
0s    bind x/proof-0..39 n1
0s    bind x/web-0..19 n1
wait x/nights: QueueOverused batch: cpu 40 deserved, 40 held
wait x/proof: QueueOverused lab: cpu 40 deserved, 40 held
wait x/web: QueueOverused online: cpu 20 deserved, 20 held

queues deserved allocated real
----
queue   deserved  allocated  real
batch   cpu=40    cpu=40     cpu=60
lab     cpu=40    cpu=40     cpu=100
online  cpu=20    cpu=20     cpu=60
