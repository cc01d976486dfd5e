# A queue stops where one task more would lift it above what it deserves.
#
# Each queue deserves five CPUs. A task of red asks for two: two of them make four, a
# third would make six. Four is less than five, so red is not overused; it is the task
# that is too big.

node n1 cpu=10
queue blue red

submit x/small queue=blue min=1 10 x cpu=1
submit x/large queue=red min=1 5 x cpu=2
cycle
----
bind x/small-0 n1
bind x/large-0 n1
bind x/small-1..2 n1
bind x/large-1 n1
bind x/small-3..4 n1
wait x/large: QueueDeserved red: cpu 6 with it, 5 deserved
wait x/small: QueueOverused blue: cpu 5 deserved, 5 held

queues deserved allocated overused
----
queue  deserved  allocated  overused
blue   cpu=5     cpu=5      yes
red    cpu=5     cpu=4      no
