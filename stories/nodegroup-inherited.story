# In the tree a queue that names no group has those of the nearest queue above that
# does, and what a queue names itself replaces what is above.

conf
  tier priority gang
  tier predicates capacity(enableHierarchy=true) nodegroup(enableHierarchy=true) nodeorder

node g1 cpu=4 label=volcano.sh/nodegroup-name:gold
node s1 cpu=4 label=volcano.sh/nodegroup-name:silver
queue team groups=gold
queue dev parent=team
queue web parent=team groups=silver

submit x/dev queue=dev 1 x cpu=1
submit x/web queue=web 1 x cpu=1
cycle
----
bind x/dev-0 g1
bind x/web-0 s1
