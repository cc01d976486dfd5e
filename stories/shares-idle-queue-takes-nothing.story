# A queue in which nothing is asked for deserves nothing: its part is at the others'
# disposal.
#
# night weighs nine times as much as day, and has no jobs. When night's job comes
# it has what it asks for, as far as there is room: day keeps what it holds, for no pod
# is moved by this configuration.

node n1 cpu=10
queue day   weight=1
queue night weight=9

submit ops/tests queue=day min=1 8 x cpu=1
cycle
----
bind ops/tests-0..7 n1

queues deserved allocated
----
queue  deserved  allocated
day    cpu=8     cpu=8
night  -         -

submit ops/backup queue=night min=1 8 x cpu=1
cycle
----
bind ops/backup-0..1 n1
wait ops/backup: NotEnoughResources: cpu 1 asked, 0 free on n1

queues deserved allocated overused
----
queue  deserved  allocated  overused
day    cpu=2     cpu=8      yes
night  cpu=8     cpu=2      no
