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

log 4 total
----
V4 The total resource is <cpu 8000.00, memory 0.00>

log 4 attributes
----
V4 The attributes of queue <default> in capacity: deserved <cpu 0.00, memory 0.00>, realCapability <cpu 8000.00, memory 0.00>, allocated <cpu 0.00, memory 0.00>, request <cpu 0.00, memory 0.00>, elastic <cpu 0.00, memory 0.00>, share <1.000000>
V4 The attributes of queue <dev> in capacity: deserved <cpu 2000.00, memory 0.00>, realCapability <cpu 4000.00, memory 0.00>, allocated <cpu 0.00, memory 0.00>, request <cpu 1000.00, memory 0.00>, elastic <cpu 0.00, memory 0.00>, share <0.000000>
V4 The attributes of queue <root> in capacity: deserved <cpu 8000.00, memory 0.00>, realCapability <cpu 8000.00, memory 0.00>, allocated <cpu 0.00, memory 0.00>, request <cpu 1000.00, memory 0.00>, elastic <cpu 0.00, memory 0.00>, share <0.000000>
V4 The attributes of queue <team> in capacity: deserved <cpu 6000.00, memory 0.00>, realCapability <cpu 8000.00, memory 0.00>, allocated <cpu 0.00, memory 0.00>, request <cpu 1000.00, memory 0.00>, elastic <cpu 0.00, memory 0.00>, share <0.000000>
