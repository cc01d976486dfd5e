# What a gang has lost of its pods is kept for it in the ResourceQuota of its namespace, too.
#
# The namespace may ask for ten CPUs. Seven of train's eight pods are there, and the eighth
# will be made again: the API server would refuse it, had three been admitted.

conf
  tier priority gang
  tier predicates resourcequota
node n1 cpu=20
quota ml/compute hard=cpu:10 used=cpu:7

submit ml/train phase=Running min=8 minresources=cpu:8 7 x cpu=1 on=n1
submit ml/three min=3 minresources=cpu:3
submit ml/two min=2 minresources=cpu:2
cycle phases
----
phase ml/two Inqueue
phase ml/train Unknown
wait ml/three: NamespaceQuotaExceeded compute: cpu 11 with it, 10 may be
wait ml/train: NotEnoughTasks 7 of 8
wait ml/two: NoPods
