# A queue that is removed and made anew under a running gang, with less than the gang holds: what runs counts in it as
# before. Neither the member that is made anew nor a new job gets room that the queue may not hold.

node n1 n2 cpu=4
queue ml capability=cpu:4
submit ml/gang queue=ml min=2 2 x cpu=2
cycle
----
bind ml/gang-0 n2
bind ml/gang-1 n1

remove queue ml
cycle
----
nothing

queue ml capability=cpu:2
delete ml/gang-1
grow ml/gang 1 x cpu=2
submit ml/late queue=ml 1 x cpu=1
cycle 3
----
wait ml/gang: QueueCapability ml (held): cpu 2 with it, 2 may be
wait ml/late: QueueCapability ml (held): cpu 2 with it, 2 may be

queues allocated request
----
queue  allocated  request
ml     cpu=2      cpu=5

queue ml capability=cpu:4
cycle
----
bind ml/gang-2 n1
wait ml/late: QueueCapability ml (held): cpu 4 with it, 4 may be
