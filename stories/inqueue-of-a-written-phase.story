# A user that writes the phase of an admitted job into a PodGroup keeps no room by that.
#
# The status of a PodGroup has no subresource: who may make one may write its phase. No vote admitted forged, and it
# has no pod. Room is kept for the first pods of a job that was admitted, for a minute: but not for this one.

conf
  actions enqueue allocate
  tier    gang overcommit predicates proportion nodeorder
node n1 cpu=8
queue q

submit ml/first queue=q min=1 minresources=cpu:1 1 x cpu=1
cycle
----
bind ml/first-0 n1

submit eve/forged queue=q phase=Inqueue min=1 minresources=cpu:1000
submit eve/edited queue=q min=1 minresources=cpu:500
cycle phases
----
phase ml/first Running
wait eve/edited: ClusterOvercommitted: cpu 501 with it, 9600m may be
wait eve/forged: NoPods

edit eve/edited phase=Inqueue
submit ml/next queue=q min=7 minresources=cpu:7 7 x cpu=1
cycle phases
----
phase ml/next Inqueue
bind ml/next-0..6 n1
wait eve/edited: NoPods
wait eve/forged: NoPods
