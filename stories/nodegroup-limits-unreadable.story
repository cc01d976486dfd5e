# Limits that cannot be read could forbid anything: no node takes the jobs of such a queue, as
# with Volcano, and what runs stays.

conf
  tier priority gang
  tier predicates proportion nodegroup nodeorder

node g1 cpu=8 label=volcano.sh/nodegroup-name:gold
queue ml groups=gold

submit x/first queue=ml 1 x cpu=1
cycle
----
bind x/first-0 g1

queue ml groups=gold limit=garbage
submit x/second queue=ml 1 x cpu=1
cycle
----
wait x/second: NodeGroupLimit: on g1

queue ml groups=gold limit=gold/cpu:2
cycle
----
bind x/second-0 g1
