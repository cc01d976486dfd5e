# In the ResourceQuota of a namespace, too, nothing is kept for longer than a minute for a lost member.
#
# train has lost one of eight, which nothing makes anew. three is admitted a minute later.

conf
  tier priority gang
  tier predicates resourcequota
node n1 cpu=20
quota ml/compute hard=cpu:10 used=cpu:7

submit ml/train phase=Running min=8 minresources=cpu:8 7 x cpu=1 on=n1
submit ml/three min=3 minresources=cpu:3
run until=2m phases
----
0s    phase ml/train Unknown
1m1s  phase ml/three Inqueue
wait ml/three: NoPods
wait ml/train: NotEnoughTasks 7 of 8
