# Pods that are there count once: not in the quota's status and again in what was kept
# for their job. The status may lag behind the pods; then the pods count.

conf
  actions enqueue allocate
  tier    gang resourcequota
  tier    predicates nodeorder
node n1 cpu=100
quota team/compute hard=cpu:10

submit team/a min=4 minresources=cpu:4
cycle phases
----
phase team/a Inqueue
wait team/a: NoPods

grow team/a 6 x cpu=1
submit team/b min=4 minresources=cpu:4
submit team/c min=1 minresources=cpu:1
cycle phases
----
phase team/b Inqueue
bind team/a-0..5 n1
wait team/b: NoPods
wait team/c: NamespaceQuotaExceeded compute: cpu 11 with it, 10 may be

quota team/compute hard=cpu:10 used=cpu:6
cycle phases
----
phase team/a Running
wait team/b: NoPods
wait team/c: NamespaceQuotaExceeded compute: cpu 11 with it, 10 may be
