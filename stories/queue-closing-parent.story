# Closing a queue closes all below it, at once and whatever writes it: dev is open and
# its team is not, so dev admits no job, what runs there runs on, and its sister team
# notices nothing.

conf
  tier priority gang
  tier predicates capacity(enableHierarchy=true) nodeorder

node n1 cpu=8
queue team
queue dev parent=team
queue other

submit x/runs queue=dev 1 x cpu=1
cycle
----
bind x/runs-0 n1

close team
submit x/waits queue=dev 1 x cpu=1
submit x/goes queue=other 1 x cpu=1
cycle
----
bind x/goes-0 n1
wait x/waits: QueueNotOpen dev: QueueNotOpen team: Closed

queues parent state allocated request
----
queue  parent  state   allocated  request
dev    team    Closed  cpu=1      cpu=2
other  root    Open    cpu=1      cpu=1
team   root    Closed  cpu=1      cpu=2

open team
cycle
----
bind x/waits-0 n1
