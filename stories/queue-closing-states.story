# Closing and Unknown are not Open: no job is enqueued or placed, and a queue that closes
# while a job is half placed keeps the rest of it waiting. An open queue takes the room.

node n1 cpu=4
queue leaving lost here

submit x/half queue=leaving min=1 6 x cpu=1
cycle
----
bind x/half-0..3 n1
wait x/half: QueueOverused leaving: cpu 4 deserved, 4 held

queue leaving state=Closing
queue lost state=Unknown
submit x/new queue=leaving 1 x cpu=1
submit x/lost queue=lost 1 x cpu=1
finish x/half-0
submit x/here queue=here 1 x cpu=1
cycle
----
bind x/here-0 n1
wait x/half: QueueNotOpen leaving: Closing
wait x/lost: QueueNotOpen lost: Unknown
wait x/new: QueueNotOpen leaving: Closing

jobs phase tasks
----
job     phase    tasks
x/half  Running  2 Pending, 3 Running, 1 Succeeded
x/here  Inqueue  1 Binding
x/lost  Pending  1 Pending
x/new   Pending  1 Pending

queues state allocated request deserved
----
queue    state    allocated  request  deserved
here     Open     cpu=1      cpu=1    cpu=1
leaving  Closing  cpu=3      cpu=6    cpu=3
lost     Unknown  -          cpu=1    -
