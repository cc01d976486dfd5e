# A cluster without nodes lets jobs in, so that operators make pods and an autoscaler
# sees them; only what root's owner named as capability bounds them.

conf
  tier priority gang
  tier predicates capacity(enableHierarchy=true)

queue root capability=cpu:40
queue team
queue ml parent=team

submit x/train queue=ml min=1 minresources=cpu:30
submit x/more  queue=ml min=1 minresources=cpu:11
cycle phases
----
phase x/more Inqueue
wait x/more: NoPods
wait x/train: QueueQuotaInsufficient ml: cpu 41 with it, 40 may be

grow x/train 1 x cpu=30
cycle
----
wait x/more: NoPods
wait x/train: QueueQuotaInsufficient ml: cpu 41 with it, 40 may be

node n1 cpu=32
run
----
wait x/more: NoPods
wait x/train: QueueQuotaInsufficient ml: cpu 41 with it, 40 may be

queues all deserved real allocated inqueue
----
queue    deserved  real    allocated  inqueue
default  -         cpu=32  -          -
ml       -         cpu=32  -          cpu=11
root     cpu=32    cpu=32  -          cpu=11
team     -         cpu=32  -          cpu=11
