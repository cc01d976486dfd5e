# A job with pods that a namespace's ResourceQuota would refuse is held back whole, with the
# quota's name and amounts; in a namespace without one it is admitted.
#
# The quota has four of ten cpu in use, and a, admitted first, is to make pods for four.

conf
  actions enqueue
  tier    resourcequota
node n1 cpu=100
quota team/compute hard=cpu:10,memory:100Gi used=cpu:4

submit team/a  min=4 minresources=cpu:4,memory:4Gi
submit team/b  min=3 minresources=cpu:3
submit other/b min=3 minresources=cpu:3
cycle phases
----
phase other/b Inqueue
phase team/a Inqueue
wait other/b: NoPods
wait team/a: NoPods
wait team/b: NamespaceQuotaExceeded compute: cpu 11 with it, 10 may be

# The quota is raised.
quota team/compute hard=cpu:11,memory:100Gi used=cpu:4
cycle phases
----
phase team/b Inqueue
wait other/b: NoPods
wait team/a: NoPods
wait team/b: NoPods
