# The log tells at level 4 what every queue deserves and may hold, by name, in each cycle
# with the plugin.

conf
  tier priority gang
  tier predicates capacity(enableHierarchy=true)

node n1 cpu=8
queue team deserved=cpu:6
queue dev parent=team deserved=cpu:2 capability=cpu:4

submit x/run queue=dev min=1 1 x cpu=1
cycle
----
bind x/run-0 n1

log 4 resource
----
V4 The total resource is <cpu 8000.00, memory 0.00>
V3 Try to allocate resource to 1 Queues
