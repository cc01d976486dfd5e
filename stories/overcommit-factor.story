# The factor is an argument with up to three places, and exact: 5 cpu times 1.201 is
# 6.005, so a job of 6005m is admitted and one of 6006m is not.

conf
  actions enqueue
  tier    overcommit(overcommit-factor=1.201)
node n1 cpu=5

submit ml/fits minresources=cpu:6005m min=1
cycle phases
----
phase ml/fits Inqueue
wait ml/fits: NoPods

delete ml/fits
submit ml/over minresources=cpu:6006m min=1
cycle phases
----
wait ml/over: ClusterOvercommitted: cpu 6006m with it, 6005m may be
