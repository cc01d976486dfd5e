# A cluster without nodes admits jobs, so that operators make pods and an autoscaler
# sees them; only what root's owner named as capability bounds them.

conf
  tier priority gang
  tier predicates capacity(enableHierarchy=true)

queue root capability=cpu:40
queue team
queue ml parent=team

submit x/first queue=ml min=1 minresources=cpu:30
submit x/second queue=ml min=1 minresources=cpu:11
cycle phases
----
phase x/first Inqueue
wait x/first: NoPods
wait x/second: QueueQuotaInsufficient ml: cpu 41 with it, 40 may be

grow x/first 1 x cpu=30
cycle
----
wait x/first: NoNodes
wait x/second: QueueQuotaInsufficient ml: cpu 41 with it, 40 may be

node n1 cpu=32
run
----
2s    bind x/first-0 n1
wait x/second: QueueQuotaInsufficient ml: cpu 41 with it, 40 may be

queues all deserved real allocated inqueue
----
queue    deserved  real    allocated  inqueue
default  -         cpu=32  -          -
ml       -         cpu=32  cpu=30     -
root     cpu=32    cpu=32  cpu=30     -
team     -         cpu=32  cpu=30     -
