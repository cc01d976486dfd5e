# A job that has waited as long as it said it would is admitted, whatever plugins of later
# tiers have against it.
#
# Both jobs are too big to be admitted otherwise. patient says nothing and waits on;
# hasty may wait ten minutes.

conf
  actions enqueue
  tier    sla
  tier    overcommit
node n1 cpu=4

submit ml/hasty   min=1 minresources=cpu:8 sla=10m
submit ml/patient min=1 minresources=cpu:8
cycle phases
----
wait ml/hasty: ClusterOvercommitted: cpu 8 with it, 4800m may be
wait ml/patient: ClusterOvercommitted: cpu 8 with it, 4800m may be

run phases
----
10m   phase ml/hasty Inqueue
wait ml/hasty: NoPods
wait ml/patient: ClusterOvercommitted: cpu 8 with it, 4800m may be
