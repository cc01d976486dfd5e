# A queue with room of its own waits when a queue above it is full, and the reason names
# the one that is.

conf
  tier priority gang
  tier predicates capacity(enableHierarchy=true)

node n1 cpu=20
queue org  capability=cpu:8
queue team parent=org
queue ours parent=team
queue near parent=team
queue far  parent=org

submit x/first queue=far min=1 6 x cpu=1
cycle
----
bind x/first-0..5 n1

submit x/gang queue=ours min=3 3 x cpu=1
submit x/ones queue=near min=1 3 x cpu=1
cycle
----
bind x/ones-0..1 n1
wait x/gang: GangIncomplete 0 of 3: QueueCapability org: cpu 9 with it, 8 may be
wait x/ones: QueueCapability org: cpu 9 with it, 8 may be
