# What a queue may use follows its affinity and the labels of the nodes: jobs that wait
# are asked again when either changes, and what runs stays where it is.

conf
  tier priority gang
  tier predicates proportion nodegroup nodeorder

node a cpu=4 label=volcano.sh/nodegroup-name:gold
node b cpu=4
queue ml groups=gold

submit x/one queue=ml 4 x cpu=1
submit x/two queue=ml 4 x cpu=1
cycle
----
bind x/one-0..3 a
wait x/two: GangIncomplete 0 of 4: NotEnoughResources: cpu 1 asked, 0 free on a

node b cpu=4 label=volcano.sh/nodegroup-name:silver
cycle
----
wait x/two: GangIncomplete 0 of 4: NotEnoughResources: cpu 1 asked, 0 free on a

queue ml groups=silver
cycle
----
bind x/two-0..3 b

pods job node status
----
pod      job  node  status
x/one-0  one  a     Running
x/one-1  one  a     Running
x/one-2  one  a     Running
x/one-3  one  a     Running
x/two-0  two  b     Binding
x/two-1  two  b     Binding
x/two-2  two  b     Binding
x/two-3  two  b     Binding
